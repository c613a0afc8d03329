/**
 * Wrap a function so that it returns the same list as long as the items are the same. Values
 * derived from the list are then not computed again.
 */
export function stableList<T>(list: () => readonly T[]): () => readonly T[] {
  let last: readonly T[] = [];
  return () => {
    const now = list();
    if (now.length !== last.length || now.some((one, at) => one !== last[at])) last = now;
    return last;
  };
}
