/** Marks in Markdown text: citations of sources, and highlighted words of a search. */
import { getContext, setContext } from "svelte";
import type { CitedChunk } from "$lib/client/types";
import { splitAtMatches } from "$lib/knowledge";

export interface Marks {
  /** Returns the chunk that `[K3]` cites; undefined when the model received no such chunk. */
  cited?: (number: number) => CitedChunk | undefined;
  /** Whether citations are resolved. Citations of unknown chunks are then removed. */
  cites?: () => boolean;
  /** The word stems to highlight. */
  stems?: () => readonly string[];
}
export type MarkedPiece =
  | { kind: "text"; text: string }
  | { kind: "hit"; text: string }
  | { kind: "cite"; chunk: CitedChunk };

const KEY = Symbol("marks");
const CITATIONS = /\s*\[K\d+(?:[,;\s]+K?\d+)*\]/g;

export function provideMarks(marks: Marks): void {
  setContext(KEY, marks);
}

export function useMarks(): Marks {
  return getContext<Marks | undefined>(KEY) ?? {};
}

/** Return the numbers of the sources that a text cites, in the order of the citations. */
export function citedNumbers(text: string): Set<number> {
  const found = [...text.matchAll(CITATIONS)].flatMap((cite) => [...cite[0].matchAll(/\d+/g)]);
  return new Set(found.map(([number]) => Number(number)));
}

/** Split a text at its citations and highlighted words. */
export function splitAtMarks(text: string, marks: Marks): MarkedPiece[] {
  if (!marks.cites?.()) return splitAtStems(text, marks);
  const found: MarkedPiece[] = [];
  let from = 0;
  for (const cite of text.matchAll(CITATIONS)) {
    found.push(...splitAtStems(text.slice(from, cite.index), marks));
    for (const [number] of cite[0].matchAll(/\d+/g)) {
      const chunk = marks.cited?.(Number(number));
      if (chunk) found.push({ kind: "cite", chunk });
    }
    from = cite.index + cite[0].length;
  }
  return [...found, ...splitAtStems(text.slice(from), marks)];
}

function splitAtStems(text: string, marks: Marks): MarkedPiece[] {
  if (!text) return [];
  const stems = marks.stems?.() ?? [];
  return stems.length
    ? splitAtMatches(text, stems).map(({ text, hit }) => ({ kind: hit ? "hit" : "text", text }))
    : [{ kind: "text", text }];
}
