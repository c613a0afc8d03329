/** Keeps the keyboard focus in the page when the element that has it disappears. */

const FOCUSABLE =
  "a[href], button:not(:disabled), input:not(:disabled), textarea:not(:disabled), " +
  "[tabindex]:not([tabindex='-1'])";

/**
 * Move the focus to the nearest remaining element when the focused element is removed, disabled or
 * hidden. Otherwise the browser moves the focus to the body, and keys and screen readers lose their
 * place. Components that know a better place move the focus themselves, before this does. Returns a
 * function that ends this.
 */
export function keepFocus(): () => void {
  /** The element that had the focus last, and its ancestors from the inside to the outside. */
  let path: Element[] = [];
  let timer: ReturnType<typeof setTimeout> | undefined;

  function onfocusin(event: FocusEvent): void {
    path = [];
    for (let at = event.target as Element | null; at && at !== document.body; at = at.parentElement)
      path.push(at);
  }
  function onpointerdown(event: PointerEvent): void {
    // A click beside all controls gives up the focus deliberately.
    if (!(event.target as Element).closest(FOCUSABLE)) path = [];
  }
  function restore(): void {
    const [last, ...around] = path;
    if (!last || document.activeElement !== document.body || canHaveFocus(last)) return;
    for (const place of around) {
      if (!place.isConnected || place.closest("[inert], [hidden]")) continue;
      const next = [...place.querySelectorAll<HTMLElement>(FOCUSABLE)].find(canHaveFocus);
      if (!next) continue;
      next.focus();
      if (document.activeElement === next) return;
    }
    document.getElementById("content")?.focus();
  }
  // A component may move the focus in the same task or in the next frame.
  const observer = new MutationObserver(() => {
    if (document.activeElement !== document.body || !path.length) return;
    clearTimeout(timer);
    timer = setTimeout(restore, 50);
  });

  document.addEventListener("focusin", onfocusin);
  document.addEventListener("pointerdown", onpointerdown);
  observer.observe(document.body, {
    childList: true,
    subtree: true,
    attributes: true,
    attributeFilter: ["disabled", "hidden", "inert"],
  });
  return () => {
    clearTimeout(timer);
    observer.disconnect();
    document.removeEventListener("focusin", onfocusin);
    document.removeEventListener("pointerdown", onpointerdown);
  };
}

function canHaveFocus(element: Element): boolean {
  return (
    element.isConnected &&
    !(element as HTMLButtonElement).disabled &&
    !element.closest("[inert], [hidden]") &&
    element.getClientRects().length > 0
  );
}
