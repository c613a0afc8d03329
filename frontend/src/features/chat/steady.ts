/**
 * Gives the same list for as long as it holds the same things, so that what is made from it is not
 * made anew.
 */
export function steady<T>(list: () => readonly T[]): () => readonly T[] {
  let last: readonly T[] = [];
  return () => {
    const now = list();
    if (now.length !== last.length || now.some((one, at) => one !== last[at])) last = now;
    return last;
  };
}
