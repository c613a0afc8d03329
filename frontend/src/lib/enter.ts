/** Who uses the key Enter: the element with the focus, or the view around it. */

const TAKES_ENTER =
  "a, button, input, textarea, select, summary, [contenteditable='true'], [role='combobox'], " +
  // A click on a control of a picture only moves the focus there.
  ":is([role='button'], [role='slider']):not([data-part])";

/** Return whether the focused element uses Enter itself. */
export function takesEnter(target: EventTarget | null): boolean {
  return target instanceof Element && target.closest(TAKES_ENTER) !== null;
}
