/**
 * Returns the same list as long as its items are the same, so that what is derived from it is not
 * rebuilt.
 */
export function stableList<T>(list: () => readonly T[]): () => readonly T[] {
  let last: readonly T[] = [];
  return () => {
    const now = list();
    if (now.length !== last.length || now.some((one, at) => one !== last[at])) last = now;
    return last;
  };
}
