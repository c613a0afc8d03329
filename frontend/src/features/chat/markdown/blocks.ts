/** Markdown as blocks of tokens; of a text that grows, only its end is read again. Pure. */
import { lexer, type MarkedToken } from "marked";

export interface Block {
  /** The place where it begins: a block keeps it while the text grows. */
  at: number;
  raw: string;
  token: MarkedToken;
}

/**
 * So many blocks at the end may still change as text comes: a list goes on, a paragraph becomes a
 * heading.
 */
const UNSETTLED = 2;

/** Reads a text that grows. */
export class Growing {
  private text = "";
  private blocks: Block[] = [];
  private live = false;

  /** @param live says that more will come: what is not closed yet is shown as if it were. */
  read(text: string, live: boolean): readonly Block[] {
    const grows = live && this.live && text.startsWith(this.text);
    const settled = grows ? this.blocks.slice(0, -UNSETTLED) : [];
    const last = settled.at(-1);
    const from = last ? last.at + last.raw.length : 0;
    const rest = text.slice(from);
    this.blocks = [...settled, ...read(live ? closed(rest) : rest, from)];
    this.text = text;
    this.live = live;
    return this.blocks;
  }
}

function read(text: string, from: number): Block[] {
  let at = from;
  const found: Block[] = [];
  for (const token of lexer(text) as MarkedToken[]) {
    found.push({ at, raw: token.raw, token });
    at += token.raw.length;
  }
  return found;
}

const FENCE = /^ {0,3}(```+|~~~+)/;

/**
 * Ends what the text leaves open in its last block, so that it does not flicker while it is
 * written.
 */
export function closed(text: string): string {
  let fence: string | null = null;
  for (const line of text.split("\n")) {
    const mark = FENCE.exec(line)?.[1];
    if (fence === null) fence = mark ?? null;
    else if (mark?.startsWith(fence) && line.trim() === mark) fence = null;
  }
  if (fence !== null) return text; // the lexer takes an open fence as code
  const at = text.lastIndexOf("\n\n") + 1;
  return text.slice(0, at) + closedLine(text.slice(at));
}

function closedLine(text: string): string {
  const ticks = text.match(/`/g)?.length ?? 0;
  if (ticks % 2) return text.endsWith("`") ? text.slice(0, -1) : `${text}\``;
  const plain = text.replace(/`[^`]*`/g, (code) => "x".repeat(code.length));
  // A link that is not whole yet is its words; an image nothing.
  const link = /(!?)\[([^\]\n]*)(?:\](?:\([^)\n]*)?)?$/.exec(plain);
  if (link && !(link[0].endsWith("]") && !link[1]))
    return closedMarks(
      text.slice(0, link.index) +
        (link[1] ? "" : text.slice(link.index + 1, link.index + 1 + link[2]!.length)),
    );
  return closedMarks(text);
}

function closedMarks(text: string): string {
  let result = text;
  const plain = text.replace(/`[^`]*`/g, "");
  for (const mark of ["**", "~~"]) {
    if (plain.split(mark).length % 2) continue;
    const bare = result.trimEnd();
    result = bare.endsWith(mark) ? bare.slice(0, -mark.length) : bare + mark;
  }
  return result;
}
