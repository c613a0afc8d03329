/** Reloading the page. */

/**
 * Reload the page if Conductor serves it. Resolves to false if Conductor does not respond: the
 * browser would then replace the page, which still works in part, with an error of its own.
 */
export async function reloadPage(): Promise<boolean> {
  try {
    const answer = await fetch(location.pathname, { cache: "no-store" });
    if (!answer.ok) return false;
  } catch {
    return false;
  }
  location.reload();
  return true;
}
