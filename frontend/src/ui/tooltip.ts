/** Tooltips for any element. */
import type { Attachment } from "svelte/attachments";

const DELAY_MS = 450;
let tip: HTMLElement | null = null;

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
      timer = setTimeout(() => place(node, text, side), DELAY_MS);
    };
    const showOnKeyboardFocus = () => {
      if (node.matches(":focus-visible")) show();
    };
    const hide = () => {
      clearTimeout(timer);
      tip?.remove();
      tip = null;
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
  tip = document.createElement("div");
  tip.className = "tip";
  tip.role = "tooltip";
  tip.textContent = text;
  document.body.append(tip);
  const at = node.getBoundingClientRect();
  const own = tip.getBoundingClientRect();
  let left = side === "right" ? at.right + 8 : at.left + (at.width - own.width) / 2;
  let top = side === "right" ? at.top + (at.height - own.height) / 2 : at.bottom + 6;
  if (top + own.height > innerHeight - 4) top = at.top - own.height - 6;
  left = Math.min(Math.max(4, left), innerWidth - own.width - 4);
  top = Math.max(4, top);
  tip.style.left = `${left}px`;
  tip.style.top = `${top}px`;
}
