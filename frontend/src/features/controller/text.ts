/** Line breaking without the browser's layout, so that screen and print are the same. Pure. */

const NARROW_CHARS = new Set("iljtfr.,:;'|!()[] ");
const WIDE = new Set("mwMWQOGD@%&");

/** Estimate the width of a text, in units of the font size. */
export function widthOf(text: string): number {
  let width = 0;
  for (const letter of text)
    width += NARROW_CHARS.has(letter)
      ? 0.32
      : WIDE.has(letter)
        ? 0.85
        : letter.codePointAt(0)! > 0x2e80
          ? 1.05
          : letter >= "A" && letter <= "Z"
            ? 0.67
            : 0.57;
  return width;
}

/** Break a text into at most `most` lines. Text that does not fit ends in an ellipsis. */
export function breakLines(text: string, width: number, size: number, most: number): string[] {
  const room = width / size;
  const plain = text.replace(/\s+/g, " ").trim().slice(0, 200);
  const lines: string[] = [];
  let line = "";
  for (const word of plain.split(" ").flatMap((one) => splitWord(one, room))) {
    const longer = line ? `${line} ${word}` : word;
    if (!line || widthOf(longer) <= room) line = longer;
    else {
      lines.push(line);
      line = word;
    }
  }
  if (line) lines.push(line);
  if (lines.length <= most) return lines;
  return [...lines.slice(0, most - 1), shorten(lines.slice(most - 1).join(" "), room)];
}

/** Split a word that is wider than a line, preferably after a sign such as `+`. */
function splitWord(word: string, room: number): string[] {
  if (widthOf(word) <= room) return [word];
  const parts = word.split(/(?<=[+/._-])/);
  if (parts.length > 1) {
    const joined: string[] = [];
    for (const part of parts) {
      const last = joined.at(-1);
      if (last !== undefined && widthOf(last + part) <= room)
        joined[joined.length - 1] = last + part;
      else joined.push(part);
    }
    return joined.flatMap((part) => (widthOf(part) <= room ? [part] : splitLetters(part, room)));
  }
  return splitLetters(word, room);
}

function splitLetters(word: string, room: number): string[] {
  const parts = [""];
  for (const letter of word) {
    if (parts.at(-1) && widthOf(parts.at(-1)! + letter) > room) parts.push("");
    parts[parts.length - 1] += letter;
  }
  return parts;
}

function shorten(text: string, room: number): string {
  if (widthOf(text) <= room) return text;
  let cut = [...text];
  while (cut.length && widthOf(`${cut.join("")}…`) > room) cut = cut.slice(0, -1);
  return `${cut.join("").trimEnd()}…`;
}
