/**
 * The cheat sheet: a picture with its labels as an SVG for printing. All texts of devices and
 * mappings are escaped.
 */
import type { Label } from "./labels";
import { BODY } from "./gamepad";
import type { Part, Picture } from "./picture";
import { breakLines } from "$lib/text";
import { strings } from "./strings";

export interface Sheet {
  mode: string;
  color: string;
  labels: ReadonlyMap<string, Label>;
  picture: Picture;
}

const W = 1123; // A4 across, at 96 dots per inch
const H = 794;
const EDGE = 40;
const TOP = 92;

export function sheetSvg({ mode, color, labels, picture }: Sheet): string {
  const scale = Math.min((W - EDGE * 2) / picture.w, (H - TOP - 64) / picture.h);
  const x = (W - picture.w * scale) / 2;
  const y = TOP + Math.max(0, (H - TOP - 56 - picture.h * scale) / 2);
  const body =
    picture.look === "gamepad"
      ? `<path d="${BODY}" fill="#f7f7f9" stroke="#b9bcc6" stroke-width="1.5"/>`
      : `<rect x="1" y="1" width="${picture.w - 2}" height="${picture.h - 2}" rx="18" ` +
        `fill="#f7f7f9" stroke="#b9bcc6" stroke-width="1.5"/>`;
  const size = Math.max(11, 10 / scale);
  const parts = picture.parts
    .map((part) => drawPart(part, labels.get(part.id), size, color))
    .join("");
  const mapped = picture.parts.filter((part) => labels.get(part.id)?.text).length;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${W}" height="${H}" viewBox="0 0 ${W} ` +
      `${H}" font-family="Inter, 'Segoe UI', 'Helvetica Neue', 'DejaVu Sans', sans-serif">`,
    `<title>${escapeXml(strings.sheetTitle(mode, picture.title))}</title><rect width="${W}" ` +
      `height="${H}" fill="#ffffff"/>`,
    `<circle cx="${EDGE + 8}" cy="48" r="8" fill="${escapeXml(color)}"/>`,
    textLine(breakLines(mode, 560, 26, 1)[0] ?? "", EDGE + 28, 57, 26, "start", "#17181c", 650),
    textLine(breakLines(picture.title, 380, 15, 1)[0] ?? "", W - EDGE, 55, 15, "end", "#575d68"),
    `<g transform="translate(${x.toFixed(1)} ${y.toFixed(1)}) ` +
      `scale(${scale.toFixed(4)})">${body}${parts}</g>`,
    textLine(
      strings.mappedCount(mapped, picture.parts.length),
      EDGE,
      H - 26,
      11,
      "start",
      "#676d78",
    ),
    textLine("Conductor", W - EDGE, H - 26, 11, "end", "#676d78"),
    "</svg>",
  ].join("\n");
}

function drawPart(part: Part, label: Label | undefined, size: number, color: string): string {
  const action = label?.text ?? "";
  const text = action && part.printed !== undefined ? `${part.name}: ${action}` : action;
  const textColor = text ? "#17181c" : "#9498a3";
  const fill = text ? "#ffffff" : "#efeff2";
  const cx = part.x + part.w / 2;
  const outline = `fill="${fill}" stroke="${text ? "#6b707c" : "#c9ccd4"}"`;
  if (part.callout) return drawCallout(part, label, size, outline);
  const words = (y: number, width: number, maxLines: number, at = size): string =>
    textBlock(text || part.name, cx, y, width, at, maxLines, "middle", textColor, text ? 550 : 400);
  if (part.kind === "knob")
    return (
      `<circle cx="${cx}" cy="${part.y + 32}" r="24" ${outline}/><path d="M${cx} ` +
      `${part.y + 14}v10" stroke="${text ? escapeXml(color) : "#9498a3"}" stroke-width="3" ` +
      `stroke-linecap="round"/>${words(part.y + part.h - 14, part.w, 2, size * 0.92)}`
    );
  if (part.kind === "fader")
    return (
      `<rect x="${cx - 3}" y="${part.y + 8}" width="6" height="${part.h - 58}" rx="3" ` +
      `fill="#d9dbe1"/><rect x="${cx - 14}" y="${part.y + part.h / 3}" width="28" height="18" ` +
      `rx="4" ${outline}/>${words(part.y + part.h - 20, part.w, 3, size * 0.86)}`
    );
  const more = label?.more ?? [];
  const bar =
    text && part.h > 60
      ? `<rect x="${part.x + 14}" y="${part.y + part.h - 6}" width="${part.w - 28}" ` +
        `height="3" rx="1.5" fill="${escapeXml(color)}"/>`
      : "";
  const below =
    more.length && part.h > 60
      ? textBlock(
          more.join(" · "),
          cx,
          part.y + part.h - 24,
          part.w - 10,
          size * 0.82,
          2,
          "middle",
          "#575d68",
          400,
        )
      : "";
  const middle = part.y + part.h / 2 - (below ? 14 : 0);
  const lines = part.h <= 60 || below ? 2 : 4;
  return (
    `<rect x="${part.x}" y="${part.y}" width="${part.w}" height="${part.h}" ` +
    `rx="${part.h > 60 ? 12 : 8}" ${outline}/>` +
    `${words(middle, part.w - 12, lines)}${bar}${below}`
  );
}

function drawCallout(part: Part, label: Label | undefined, size: number, outline: string): string {
  const { x, y, w, end } = part.callout!;
  const edge = end ? x + w : x;
  const [cx, cy] = [part.x + part.w / 2, part.y + part.h / 2];
  const anchor = end ? "end" : "start";
  const face =
    part.kind === "stick" || part.kind === "round"
      ? `<circle cx="${cx}" cy="${cy}" r="${part.w / 2}" ${outline}/>`
      : `<rect x="${part.x}" y="${part.y}" width="${part.w}" height="${part.h}" rx="8" ` +
        `${outline}/>`;
  const lead =
    `<path d="M${edge + (end ? 6 : -6)} ${y}H${edge + (end ? 26 : -26)}L${cx} ${cy}" ` +
    `fill="none" stroke="#c9ccd4"/>`;
  if (!label?.text)
    return `${lead}${face}${textBlock(part.name, edge, y, w, size, 1, anchor, "#9498a3", 400)}`;
  const second = [part.name, ...label.more].join(" · ");
  return [
    lead,
    face,
    textBlock(label.text, edge, y - 6, w, size, 1, anchor, "#17181c", 550),
    textBlock(second, edge, y + 10, w, size * 0.82, 1, anchor, "#575d68", 400),
  ].join("");
}

function textBlock(
  text: string,
  x: number,
  y: number,
  width: number,
  size: number,
  maxLines: number,
  anchor: string,
  textColor: string,
  weight: number,
): string {
  // The font of the printer is unknown, so the widest one is assumed.
  const lines = breakLines(text, width * (weight > 500 ? 0.82 : 0.88), size, maxLines);
  return lines
    .map((one, index) =>
      textLine(
        one,
        x,
        y + (index - (lines.length - 1) / 2) * size * 1.22 + size * 0.35,
        size,
        anchor,
        textColor,
        weight,
      ),
    )
    .join("");
}

function textLine(
  text: string,
  x: number,
  y: number,
  size: number,
  anchor: string,
  textColor: string,
  weight = 400,
): string {
  return (
    `<text x="${x.toFixed(1)}" y="${y.toFixed(1)}" font-size="${size.toFixed(1)}" ` +
    `font-weight="${weight}" text-anchor="${anchor}" fill="${textColor}">${escapeXml(text)}</text>`
  );
}

const XML_ENTITIES: Record<string, string> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

// eslint-disable-next-line no-control-regex -- XML 1.0 allows no control characters (section 2.2)
const NOT_IN_XML = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g;
const LONE_SURROGATE = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;

/** Escape a text for XML and remove the characters that XML does not allow. */
export function escapeXml(text: string): string {
  return text
    .replace(NOT_IN_XML, "")
    .replace(LONE_SURROGATE, "")
    .replace(/[&<>"']/g, (sign) => XML_ENTITIES[sign]!);
}
