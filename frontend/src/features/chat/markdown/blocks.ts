/** Incremental Markdown parser: when text is appended, only the last blocks are parsed again. */
import { lexer, type MarkedToken } from "marked";

export interface Block {
  /** The offset of the block in the text: a stable key while the text grows. */
  at: number;
  raw: string;
  token: MarkedToken;
}

/**
 * The number of blocks at the end that may change when text is appended: a list can continue, and a
 * paragraph can become a heading.
 */
const UNSETTLED_BLOCKS = 2;

/** Parser of a Markdown text that grows while it is streamed. */
export class IncrementalParser {
  private text = "";
  private blocks: Block[] = [];
  private live = false;

  /** Parse the text into blocks. @param live more text follows: open syntax is treated as closed */
  parse(text: string, live: boolean): readonly Block[] {
    const grows = live && this.live && text.startsWith(this.text);
    const settled = grows ? this.blocks.slice(0, -UNSETTLED_BLOCKS) : [];
    const last = settled.at(-1);
    const from = last ? last.at + last.raw.length : 0;
    const rest = text.slice(from);
    this.blocks = [...settled, ...parseBlocks(live ? closeOpenSyntax(rest) : rest, from)];
    this.text = text;
    this.live = live;
    return this.blocks;
  }
}

function parseBlocks(text: string, from: number): Block[] {
  let at = from;
  const found: Block[] = [];
  for (const token of lexer(text) as MarkedToken[]) {
    found.push({ at, raw: token.raw, token });
    at += token.raw.length;
  }
  return found;
}

const FENCE = /^ {0,3}(```+|~~~+)/;

/** Close the Markdown syntax that is open in the last block, to avoid flicker while streaming. */
export function closeOpenSyntax(text: string): string {
  let fence: string | null = null;
  for (const line of text.split("\n")) {
    const mark = FENCE.exec(line)?.[1];
    if (fence === null) fence = mark ?? null;
    else if (mark?.startsWith(fence) && line.trim() === mark) fence = null;
  }
  if (fence !== null) return text; // the lexer treats an open fence as code
  const at = text.lastIndexOf("\n\n") + 1;
  return text.slice(0, at) + closeLine(text.slice(at));
}

function closeLine(text: string): string {
  const ticks = text.match(/`/g)?.length ?? 0;
  if (ticks % 2) return text.endsWith("`") ? text.slice(0, -1) : `${text}\``;
  const plain = text.replace(/`[^`]*`/g, (code) => "x".repeat(code.length));
  // An incomplete link is shown as its text, an incomplete image not at all.
  const link = /(!?)\[([^\]\n]*)(?:\](?:\([^)\n]*)?)?$/.exec(plain);
  if (link && !(link[0].endsWith("]") && !link[1]))
    return closeMarks(
      text.slice(0, link.index) +
        (link[1] ? "" : text.slice(link.index + 1, link.index + 1 + link[2]!.length)),
    );
  return closeMarks(text);
}

function closeMarks(text: string): string {
  let result = text;
  const plain = text.replace(/`[^`]*`/g, "");
  for (const mark of ["**", "~~"]) {
    if (plain.split(mark).length % 2) continue;
    const bare = result.trimEnd();
    result = bare.endsWith(mark) ? bare.slice(0, -mark.length) : bare + mark;
  }
  return result;
}
