/**
 * The cheat sheet: a picture with its labels as an SVG for printing. All texts of devices and
 * mappings are escaped.
 */
import type { Label } from "./labels";
import { BODY } from "./gamepad";
import type { Part, Picture } from "./picture";
import { fitsUnbroken, wrapLines } from "$lib/text";
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
const INK = "#17181c";
const MUTED = "#575d68";
const FAINT = "#6b707c";

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
    drawTexts([{ text: mode, size: 26, color: INK, weight: 650 }], {
      ...{ x: EDGE + 28, y: 48, width: 600, height: 66, anchor: "start" },
    }),
    drawTexts([{ text: picture.title, size: 15, color: MUTED, weight: 400 }], {
      ...{ x: W - EDGE, y: 48, width: 380, height: 60, anchor: "end" },
    }),
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
  const { x, y, w, h } = part;
  const cx = x + w / 2;
  const isMapped = !!label?.text;
  const outline =
    `fill="${isMapped ? "#ffffff" : "#efeff2"}" ` + `stroke="${isMapped ? "#6b707c" : "#c9ccd4"}"`;
  const texts = listTexts(part, label, size);
  if (part.callout) return drawCallout(part, texts, outline);
  if (part.kind === "knob")
    return (
      `<circle cx="${cx}" cy="${y + 22}" r="18" ${outline}/><path d="M${cx} ${y + 8}v8" ` +
      `stroke="${isMapped ? escapeXml(color) : FAINT}" stroke-width="3" ` +
      `stroke-linecap="round"/>` +
      drawTexts(texts, { x: cx, y: y + 43, width: w, height: h - 43, isTop: true })
    );
  if (part.kind === "fader")
    return (
      `<rect x="${cx - 3}" y="${y + 4}" width="6" height="${h / 2 - 12}" rx="3" ` +
      `fill="#d9dbe1"/><rect x="${cx - 14}" y="${y + h / 5}" width="28" height="18" ` +
      `rx="4" ${outline}/>` +
      drawTexts(texts, { x: cx, y: y + h / 2, width: w, height: h / 2, isTop: true })
    );
  const bar =
    isMapped && h > 60
      ? `<rect x="${x + 14}" y="${y + h - 6}" width="${w - 28}" ` +
        `height="3" rx="1.5" fill="${escapeXml(color)}"/>`
      : "";
  return (
    `<rect x="${x}" y="${y}" width="${w}" height="${h}" rx="${h > 60 ? 12 : 8}" ${outline}/>` +
    drawTexts(texts, { x: cx, y: y + h / 2, width: w - 10, height: h - (bar ? 16 : 6) }) +
    bar
  );
}

/** Return the texts of a control: its name, its action and the actions of its other gestures. */
function listTexts(part: Part, label: Label | undefined, size: number): Text[] {
  const name = part.printed === undefined ? part.name : `${part.name} (${part.printed})`;
  if (!label?.text) return [{ text: name, size, color: FAINT, weight: 400 }];
  const small = { size: size * 0.82, color: MUTED, weight: 400 };
  return [
    { text: name, ...small },
    { text: label.text, size, color: INK, weight: 550 },
    ...label.more.map((text) => ({ text, ...small })),
  ];
}

function drawCallout(part: Part, texts: readonly Text[], outline: string): string {
  const { x, y, w, end } = part.callout!;
  const edge = end ? x + w : x;
  const [cx, cy] = [part.x + part.w / 2, part.y + part.h / 2];
  const face =
    part.kind === "stick" || part.kind === "round"
      ? `<circle cx="${cx}" cy="${cy}" r="${part.w / 2}" ${outline}/>`
      : `<rect x="${part.x}" y="${part.y}" width="${part.w}" height="${part.h}" rx="8" ` +
        `${outline}/>`;
  const lead =
    `<path d="M${edge + (end ? 6 : -6)} ${y}H${edge + (end ? 26 : -26)}L${cx} ${cy}" ` +
    `fill="none" stroke="#c9ccd4"/>`;
  return (
    lead +
    face +
    drawTexts(texts, { x: edge, y, width: w, height: 44, anchor: end ? "end" : "start" })
  );
}

interface Text {
  text: string;
  size: number;
  color: string;
  weight: number;
}
/** The space of texts. `y` is its vertical centre, or its top edge if `isTop`. */
interface Space {
  x: number;
  y: number;
  width: number;
  height: number;
  anchor?: "start" | "middle" | "end";
  isTop?: boolean;
}

/** The distance between two lines, in multiples of the font size. */
const LEADING = 1.2;
/** Words are hyphenated rather than drawn smaller than this, and lines left out below the least. */
const UNBROKEN_SCALE = 0.75;
const LEAST_SCALE = 0.5;
const SCALE_STEP = 0.05;

function drawTexts(texts: readonly Text[], space: Space): string {
  const lines = fitTexts(texts, space.width, space.height);
  let y = space.isTop ? space.y : space.y - heightOf(lines) / 2;
  return lines
    .map(({ text, size, color, weight }) => {
      const baseline = y + size * (LEADING / 2 + 0.35);
      y += size * LEADING;
      return textLine(text, space.x, baseline, size, space.anchor ?? "middle", color, weight);
    })
    .join("");
}

/** Break texts into lines, in the largest font size at which all of them fit. */
function fitTexts(texts: readonly Text[], width: number, height: number): Text[] {
  const largest = (least: number, isUsable: (scaled: Text[]) => boolean): Text[] | undefined => {
    for (let scale = 1; scale > least - SCALE_STEP / 2; scale -= SCALE_STEP) {
      const scaled = texts.map((one) => ({ ...one, size: one.size * scale }));
      const lines = wrapTexts(scaled, width);
      if (isUsable(scaled) && heightOf(lines) <= height) return lines;
    }
    return undefined;
  };
  const isUnbroken = (scaled: Text[]): boolean =>
    scaled.every((one) => fitsUnbroken(one.text, safeWidth(one, width), one.size));
  const fitting = largest(UNBROKEN_SCALE, isUnbroken) ?? largest(LEAST_SCALE, () => true);
  if (fitting) return fitting;
  const lines = wrapTexts(
    texts.map((one) => ({ ...one, size: one.size * LEAST_SCALE })),
    width,
  );
  while (lines.length > 1 && heightOf(lines) > height) lines.pop();
  return lines.with(-1, { ...lines.at(-1)!, text: `${lines.at(-1)!.text}…` });
}

const wrapTexts = (texts: readonly Text[], width: number): Text[] =>
  texts.flatMap((one) =>
    wrapLines(one.text, safeWidth(one, width), one.size).map((text) => ({ ...one, text })),
  );
/** Return a width for the widest font, because the font of the printer is unknown. */
const safeWidth = ({ weight }: Text, width: number): number => width * (weight > 500 ? 0.82 : 0.88);
const heightOf = (lines: readonly Text[]): number =>
  lines.reduce((sum, { size }) => sum + size * LEADING, 0);

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
