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

/**
 * Break a text into at most `maxLines` lines. A text or a word that does not fit ends with an
 * ellipsis, because half a word such as “Forwar d” is harder to read than “Forw…”.
 */
export function breakLines(text: string, width: number, size: number, maxLines: number): string[] {
  const maxWidth = width / size;
  const plain = text.replace(/\s+/g, " ").trim().slice(0, 200);
  const lines = joinWords(
    plain
      .split(" ")
      .flatMap((word) => splitWord(word, maxWidth).map((part) => truncate(part, maxWidth))),
    maxWidth,
  );
  if (lines.length <= maxLines) return lines;
  return [...lines.slice(0, maxLines - 1), truncate(lines.slice(maxLines - 1).join(" "), maxWidth)];
}

/** Break a whole text into lines. Words that are wider than a line are hyphenated. */
export function wrapLines(text: string, width: number, size: number): string[] {
  const maxWidth = width / size;
  const words = text.trim().split(/\s+/);
  return joinWords(
    words.flatMap((word) => splitWord(word, maxWidth)).flatMap((part) => hyphenate(part, maxWidth)),
    maxWidth,
  );
}

function joinWords(words: readonly string[], maxWidth: number): string[] {
  const lines: string[] = [];
  let line = "";
  for (const word of words) {
    const longer = line ? `${line} ${word}` : word;
    if (!line || estimateWidth(longer) <= maxWidth) line = longer;
    else {
      lines.push(line);
      line = word;
    }
  }
  return line ? [...lines, line] : lines;
}

/** Where a word may be broken: after a character such as `+`, and between ideographs. */
const BREAKS = /(?<=[+/._-])|(?<=[\u2e80-\uffff])/;

/** Split a word that is wider than a line where it may be broken. Its parts may still be wider. */
function splitWord(word: string, maxWidth: number): string[] {
  if (estimateWidth(word) <= maxWidth) return [word];
  const joined: string[] = [];
  for (const part of word.split(BREAKS)) {
    const last = joined.at(-1);
    if (last !== undefined && estimateWidth(last + part) <= maxWidth)
      joined[joined.length - 1] = last + part;
    else joined.push(part);
  }
  return joined;
}

function hyphenate(word: string, maxWidth: number): string[] {
  const parts: string[] = [];
  let part = "";
  for (const letter of word) {
    const isFull = estimateWidth(`${part}${letter}-`) > maxWidth && part !== "";
    if (isFull && estimateWidth(word) > maxWidth) {
      parts.push(`${part}-`);
      part = "";
    }
    part += letter;
  }
  return [...parts, part];
}

/** Return whether no word of a text is hyphenated in lines of this width. */
export function fitsUnbroken(text: string, width: number, size: number): boolean {
  return text
    .split(/\s+/)
    .flatMap((word) => splitWord(word, width / size))
    .every((part) => estimateWidth(part) <= width / size);
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
