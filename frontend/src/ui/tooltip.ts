/** Tooltips for any element. */
import type { Attachment } from "svelte/attachments";

const DELAY_MS = 450;
let tooltipElement: HTMLElement | null = null;
let lastKey = "";
document.addEventListener("keydown", ({ key }) => (lastKey = key), { capture: true });

/** Attach a tooltip to an element: `<button {@attach tooltip("Undo")}>`. */
export function tooltip(
  text: string | undefined,
  side: "bottom" | "right" = "bottom",
): Attachment<HTMLElement> {
  return (node) => {
    if (!text) return;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const show = () => {
      hide();
      // In a wide window, the entries of the side bar show their names.
      if (node.innerText === text) return;
      timer = setTimeout(() => place(node, text, side), DELAY_MS);
    };
    const showOnKeyboardFocus = () => {
      // A focus that returns from a dialog is visible too, but the user looks for something else.
      if (/^(Tab|Arrow|Home|End)/.test(lastKey) && node.matches(":focus-visible")) show();
    };
    const hide = () => {
      clearTimeout(timer);
      tooltipElement?.remove();
      tooltipElement = null;
    };
    node.addEventListener("pointerenter", show);
    node.addEventListener("pointerleave", hide);
    node.addEventListener("pointerdown", hide);
    node.addEventListener("focus", showOnKeyboardFocus);
    node.addEventListener("blur", hide);
    node.addEventListener("keydown", hide);
    return () => {
      hide();
      node.removeEventListener("pointerenter", show);
      node.removeEventListener("pointerleave", hide);
      node.removeEventListener("pointerdown", hide);
      node.removeEventListener("focus", showOnKeyboardFocus);
      node.removeEventListener("blur", hide);
      node.removeEventListener("keydown", hide);
    };
  };
}

function place(node: HTMLElement, text: string, side: "bottom" | "right"): void {
  tooltipElement?.remove();
  tooltipElement = document.createElement("div");
  tooltipElement.className = "tip";
  tooltipElement.role = "tooltip";
  tooltipElement.textContent = text;
  document.body.append(tooltipElement);
  const anchor = node.getBoundingClientRect();
  const size = tooltipElement.getBoundingClientRect();
  let left = side === "right" ? anchor.right + 8 : anchor.left + (anchor.width - size.width) / 2;
  let top = side === "right" ? anchor.top + (anchor.height - size.height) / 2 : anchor.bottom + 6;
  if (top + size.height > innerHeight - 4) top = anchor.top - size.height - 6;
  left = Math.min(Math.max(4, left), innerWidth - size.width - 4);
  top = Math.max(4, top);
  tooltipElement.style.left = `${left}px`;
  tooltipElement.style.top = `${top}px`;
}
