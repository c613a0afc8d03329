/** Marks in Markdown text: references to sources, and words of a search. Pure. */
import { getContext, setContext } from "svelte";
import type { CitedChunk } from "$lib/client/types";
import { splitAtMatches } from "$lib/knowledge";

export interface Marks {
  /** Return the chunk that `[K3]` cites; undefined when the model received no such chunk. */
  cited?: (number: number) => CitedChunk | undefined;
  /** Whether references are resolved: those that cite nothing are then removed from the text. */
  cites?: () => boolean;
  /** Word stems to highlight. */
  stems?: () => readonly string[];
}
export type Marked =
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

/** Return the numbers of the sources that a text cites, in their order. */
export function citedNumbers(text: string): Set<number> {
  const found = [...text.matchAll(CITATIONS)].flatMap((cite) => [...cite[0].matchAll(/\d+/g)]);
  return new Set(found.map(([number]) => Number(number)));
}

/** Split a text at its marks. */
export function splitAtMarks(text: string, marks: Marks): Marked[] {
  if (!marks.cites?.()) return words(text, marks);
  const found: Marked[] = [];
  let from = 0;
  for (const cite of text.matchAll(CITATIONS)) {
    found.push(...words(text.slice(from, cite.index), marks));
    for (const [number] of cite[0].matchAll(/\d+/g)) {
      const chunk = marks.cited?.(Number(number));
      if (chunk) found.push({ kind: "cite", chunk });
    }
    from = cite.index + cite[0].length;
  }
  return [...found, ...words(text.slice(from), marks)];
}

function words(text: string, marks: Marks): Marked[] {
  if (!text) return [];
  const stems = marks.stems?.() ?? [];
  return stems.length
    ? splitAtMatches(text, stems).map(({ text, hit }) => ({ kind: hit ? "hit" : "text", text }))
    : [{ kind: "text", text }];
}
