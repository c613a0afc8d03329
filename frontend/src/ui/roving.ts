/** One stop of Tab for a group of buttons, between which the arrow keys move the focus. */
import type { Attachment } from "svelte/attachments";

const STEPS: Record<string, [step: -1 | 1, byLine: boolean]> = {
  ArrowLeft: [-1, false],
  ArrowRight: [1, false],
  ArrowUp: [-1, true],
  ArrowDown: [1, true],
};

/** Attach the arrow keys to a list or a grid of buttons. */
export const rovingFocus: Attachment<HTMLElement> = (group) => {
  let current: HTMLElement | undefined;
  const find = (): HTMLElement[] => [...group.querySelectorAll<HTMLElement>("button")];
  function mark(): void {
    const buttons = find();
    if (!current || !buttons.includes(current)) current = buttons[0];
    for (const button of buttons) button.tabIndex = button === current ? 0 : -1;
  }
  function onfocusin({ target }: FocusEvent): void {
    current = target as HTMLElement;
    mark();
  }
  function onkeydown(event: KeyboardEvent): void {
    const [step, byLine] = STEPS[event.key] ?? [];
    const buttons = find();
    const at = buttons.indexOf(event.target as HTMLElement);
    if (!step || at < 0 || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    const columns = buttons.filter((one) => one.offsetTop === buttons[0]!.offsetTop).length;
    const below = byLine ? buttons[at + step * columns] : undefined;
    (below ?? buttons[(at + step + buttons.length) % buttons.length])?.focus();
  }
  // Buttons that appear later get their place too.
  const observer = new MutationObserver(mark);
  observer.observe(group, { childList: true, subtree: true });
  group.addEventListener("focusin", onfocusin);
  group.addEventListener("keydown", onkeydown);
  mark();
  return () => {
    observer.disconnect();
    group.removeEventListener("focusin", onfocusin);
    group.removeEventListener("keydown", onkeydown);
  };
};
