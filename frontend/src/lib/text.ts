/** Line breaking by estimated widths, for texts in pictures and on printed sheets. */

const NARROW_CHARS = new Set("iljtfr.,:;'|!()[] ");
const WIDE_CHARS = new Set("mwMWQOGD@%&");

/** Estimate the width of a text in multiples of the font size. */
export function estimateWidth(text: string): number {
  let width = 0;
  for (const letter of text)
    width += NARROW_CHARS.has(letter)
      ? 0.32
      : WIDE_CHARS.has(letter)
        ? 0.85
        : letter.codePointAt(0)! > 0x2e80
          ? 1.05
          : letter >= "A" && letter <= "Z"
            ? 0.67
            : 0.57;
  return width;
}

/** Return how many lines a text needs if the words that are wider than a line are broken. */
export function countLines(text: string, width: number, size: number): number {
  const maxWidth = width / size;
  let lines = 1;
  let filled = 0;
  for (const word of text.trim().split(/\s+/)) {
    const needed = estimateWidth(word);
    const joined = filled && filled + estimateWidth(" ") + needed;
    if (joined <= maxWidth && filled) filled = joined;
    else {
      if (filled) lines += 1;
      lines += Math.max(0, Math.ceil(needed / maxWidth) - 1);
      filled = needed % maxWidth || needed;
    }
  }
  return lines;
}

/** Break a text into at most `maxLines` lines. A text that does not fit ends with an ellipsis. */
export function breakLines(text: string, width: number, size: number, maxLines: number): string[] {
  const maxWidth = width / size;
  const plain = text.replace(/\s+/g, " ").trim().slice(0, 200);
  const lines: string[] = [];
  let line = "";
  for (const word of plain.split(" ").flatMap((one) => splitWord(one, maxWidth))) {
    const longer = line ? `${line} ${word}` : word;
    if (!line || estimateWidth(longer) <= maxWidth) line = longer;
    else {
      lines.push(line);
      line = word;
    }
  }
  if (line) lines.push(line);
  if (lines.length <= maxLines) return lines;
  return [...lines.slice(0, maxLines - 1), truncate(lines.slice(maxLines - 1).join(" "), maxWidth)];
}

/** Where a word may be broken: after a character such as `+`, and between ideographs. */
const BREAKS = /(?<=[+/._-])|(?<=[\u2e80-\uffff])/;

/**
 * Split a word that is wider than a line. A part that is still wider is shortened, because half a
 * word such as “Forwar d” is harder to read than “Forw…”.
 */
function splitWord(word: string, maxWidth: number): string[] {
  if (estimateWidth(word) <= maxWidth) return [word];
  const joined: string[] = [];
  for (const part of word.split(BREAKS)) {
    const last = joined.at(-1);
    if (last !== undefined && estimateWidth(last + part) <= maxWidth)
      joined[joined.length - 1] = last + part;
    else joined.push(part);
  }
  return joined.map((part) => truncate(part, maxWidth));
}

/** Return a font size at which the words of a text fit, at most a sixth smaller than `size`. */
export function fitSize(text: string, width: number, size: number): number {
  const widest = Math.max(1, ...text.split(/\s+/).map(estimateWidth));
  return Math.min(size, Math.max(size * 0.83, (width / widest) * 0.999));
}

function truncate(text: string, maxWidth: number): string {
  if (estimateWidth(text) <= maxWidth) return text;
  let cut = [...text];
  while (cut.length && estimateWidth(`${cut.join("")}…`) > maxWidth) cut = cut.slice(0, -1);
  return `${cut.join("").trimEnd()}…`;
}
