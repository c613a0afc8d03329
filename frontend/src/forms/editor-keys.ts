/** The keys of an editor of a mapping: Ctrl+Enter or Ctrl+S saves, Escape leaves. */
import type { Attachment } from "svelte/attachments";

interface EditorCommands {
  save: () => void;
  leave: () => void;
}

/**
 * Attach the keys to an editor, and to the lists of its fields, which are outside of it. The keys
 * that save work wherever the focus is, because the button that shows them is visible everywhere.
 */
export function editorKeys({ save, leave }: EditorCommands): Attachment<HTMLElement> {
  return (editor) => {
    /** Whether the key went down in an open list, which uses Enter and Escape first. */
    let inList = false;
    const isSaveKey = (event: KeyboardEvent): boolean =>
      (event.ctrlKey || event.metaKey) && (event.key === "Enter" || event.key === "s");
    function isOwn({ target }: KeyboardEvent): boolean {
      return target instanceof Element && (editor.contains(target) || !!target.closest(POPOVER));
    }
    const isMeant = (event: KeyboardEvent): boolean =>
      isOwn(event) || (isSaveKey(event) && !document.querySelector(OVERLAY));
    // Before the fields: Enter would open a list, and Escape leave what contains the editor.
    function onkeydowncapture(event: KeyboardEvent): void {
      inList = document.querySelector(POPOVER) !== null;
      const command = isSaveKey(event) ? save : event.key === "Escape" ? leave : null;
      if (inList || !command || event.isComposing || !isMeant(event)) return;
      event.preventDefault();
      event.stopPropagation();
      command();
    }
    // After the fields: an open list has chosen its option, which is saved with the rest.
    function onkeydown(event: KeyboardEvent): void {
      if (!inList || !isSaveKey(event) || !isMeant(event)) return;
      event.preventDefault();
      save();
    }
    document.addEventListener("keydown", onkeydowncapture, true);
    document.addEventListener("keydown", onkeydown);
    return () => {
      document.removeEventListener("keydown", onkeydowncapture, true);
      document.removeEventListener("keydown", onkeydown);
    };
  };
}

const POPOVER = ".ui-popover";
/** What is above an editor, and takes its keys while it is open. */
const OVERLAY = "[role='dialog'], [role='menu']";
