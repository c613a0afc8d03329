/** Finds entries of the command palette by words with a typo. */
import type { PaletteItem } from "$lib/state/ui.svelte";

const MIN_LENGTH_WITH_TYPO = 4;

/** Return how well an entry fits words, in each of which one typo is forgiven; 0: not at all. */
export function scoreWithTypos(item: PaletteItem, words: readonly string[]): number {
  const split = (text: string): string[] => text.toLowerCase().split(/[^\p{L}\p{N}]+/u);
  const title = split(item.title);
  const others = split(`${item.keywords ?? ""} ${item.hint ?? ""}`);
  let total = 0;
  for (const word of words) {
    const isMeant = (other: string): boolean =>
      /\d/.test(word)
        ? other === word
        : other.startsWith(word) ||
          (word.length >= MIN_LENGTH_WITH_TYPO && hasOneTypo(word, other));
    if (isMeant(title[0]!)) total += 3;
    else if (title.some(isMeant)) total += 2;
    else if (others.some(isMeant)) total += 1;
    else return 0;
  }
  return total;
}

/** Return whether a word becomes another one by one wrong, missing, added or swapped letter. */
function hasOneTypo(word: string, other: string): boolean {
  if (Math.abs(word.length - other.length) > 1) return false;
  let at = 0;
  while (at < word.length && word[at] === other[at]) at++;
  const [rest, otherRest] = [word.slice(at), other.slice(at)];
  return (
    rest.slice(1) === otherRest ||
    rest === otherRest.slice(1) ||
    rest.slice(1) === otherRest.slice(1) ||
    (rest.slice(2) === otherRest.slice(2) && rest[0] === otherRest[1] && rest[1] === otherRest[0])
  );
}
