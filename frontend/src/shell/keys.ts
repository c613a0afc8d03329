/** Global keyboard shortcuts. */
import type { State } from "$lib/state/state";
import { views } from "$views";

/** The time for the second key of a shortcut such as `g m`. */
const CHORD_MS = 1_200;

/** Handle keyboard shortcuts of the page. Returns a function that stops handling them. */
export function listenForShortcuts({ app, ui, config, chat }: State): () => void {
  let chordDeadline = 0;

  function onkeydown(event: KeyboardEvent): void {
    if (event.defaultPrevented || event.isComposing) return;
    const command = event.ctrlKey || event.metaKey;
    const key = event.key.toLowerCase();
    if (command && key === "k") return handle(event, togglePalette);
    if (command && key === ".") return handle(event, () => void app.panic());
    if (
      command &&
      !event.shiftKey &&
      !event.altKey &&
      key === "l" &&
      !document.querySelector("[role='dialog']")
    )
      return handle(event, focusComposer);
    if (isTyping(event) || document.querySelector("[role='dialog'], [role='menu']")) return;
    if (command && !event.altKey && key === "z")
      return handle(event, () => void (event.shiftKey ? config.redo() : config.undo()));
    if (command || event.altKey) return;
    if (key === "g") chordDeadline = event.timeStamp + CHORD_MS;
    else if (event.key === "?") handle(event, () => (ui.shortcutsOpen = true));
    else if (key === "/") handle(event, focusSearch);
  }

  /** Open the view of the second key, which has another meaning in some views. */
  function onsecondkey(event: KeyboardEvent): void {
    if (event.timeStamp >= chordDeadline) return;
    chordDeadline = 0;
    const view = views.find((one) => one.shortcut === event.key.toLowerCase());
    if (!view || event.ctrlKey || event.metaKey || event.altKey || isTyping(event)) return;
    event.stopPropagation();
    handle(event, () => ui.navigate(view.id));
  }

  /** Open or close the command palette. It cannot open over a dialog, which keeps the focus. */
  function togglePalette(): void {
    // A dialog that was just closed may still be there for a moment.
    const dialog = document.querySelector("[role='dialog']:not([data-state='closed'])");
    ui.paletteOpen = !ui.paletteOpen && !dialog;
  }
  function focusComposer(): void {
    if (ui.view !== "chat") ui.navigate("chat");
    chat.focus++;
  }

  document.addEventListener("keydown", onsecondkey, { capture: true });
  document.addEventListener("keydown", onkeydown);
  return () => {
    document.removeEventListener("keydown", onsecondkey, { capture: true });
    document.removeEventListener("keydown", onkeydown);
  };
}

function handle(event: KeyboardEvent, run: () => void): void {
  event.preventDefault();
  run();
}

function isTyping(event: KeyboardEvent): boolean {
  const target = event.target as HTMLElement | null;
  // Widgets that handle all keys, such as the keystroke recorder, are marked `data-takes-keys`.
  return !!target?.closest(
    "input:not([type='range']), textarea, [contenteditable='true'], [data-takes-keys]",
  );
}

function focusSearch(): void {
  document.querySelector<HTMLInputElement>("#content [data-search]")?.focus();
}
