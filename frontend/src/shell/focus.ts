/** Keeps the keyboard focus in the page when the element that has it disappears. */

const FOCUSABLE =
  "a[href], button:not(:disabled), input:not(:disabled), textarea:not(:disabled), " +
  "[tabindex]:not([tabindex='-1'])";

/** How many elements are remembered that had the focus before. */
const MAX_EARLIER = 10;

/**
 * Move the focus to the nearest remaining element of its part of the window when the focused
 * element is removed, disabled or hidden; if none remains, or in a part that returns the focus, to
 * the element that had it before. Otherwise the browser moves the focus to the body, and keys and
 * screen readers lose their place. Components that know a better place move the focus themselves,
 * before this does. Returns a function that ends this.
 */
export function keepFocus(): () => void {
  /** The element that had the focus last, and its ancestors from the inside to the outside. */
  let path: Element[] = [];
  /** The elements that had the focus before, the last one first. */
  let earlier: Element[] = [];
  let timer: ReturnType<typeof setTimeout> | undefined;

  function onfocusin(event: FocusEvent): void {
    const target = event.target as Element;
    earlier = [target, ...earlier.filter((element) => element !== target)].slice(0, MAX_EARLIER);
    path = [];
    for (let at: Element | null = target; at && at !== document.body; at = at.parentElement)
      path.push(at);
  }
  function onpointerdown(event: PointerEvent): void {
    // A click beside all controls gives up the focus deliberately.
    if (!(event.target as Element).closest(FOCUSABLE)) path = earlier = [];
  }
  function restore(): void {
    const [last, ...around] = path;
    if (!last || document.activeElement !== document.body || canHaveFocus(last)) return;
    const content = document.getElementById("content");
    for (const place of around) {
      if (place.contains(content) || place.matches("[data-returns-focus]")) break;
      if (!place.isConnected || place.closest("[inert], [hidden]")) continue;
      const next = [...place.querySelectorAll<HTMLElement>(FOCUSABLE)].find(canHaveFocus);
      if (!next) continue;
      next.focus();
      if (document.activeElement === next) return;
    }
    const before = earlier.find(canHaveFocus) ?? content;
    (before as HTMLElement | null)?.focus();
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
