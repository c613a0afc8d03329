/**
 * Reload the page if Conductor serves it. Resolves to false if Conductor does not respond, because
 * the browser would then replace the page, which still works in part, with an error page.
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
