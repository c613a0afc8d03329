/** The field of a form that gets the keyboard focus first. */

/**
 * Focus the text that an action or a trigger lacks, such as an address, else its first field. The
 * field before it selects the kind, which is chosen already: a text that is typed there would
 * change the kind.
 */
export function focusFirstField(form: HTMLElement): void {
  const [kind, ...fields] = form.querySelectorAll<HTMLInputElement>(
    ":is(input:not([type=range]), textarea, select)",
  );
  const shown = fields.filter((field) => !field.closest("details:not([open])"));
  const missing = shown.find((field) => field.ariaRequired === "true" && field.value === "");
  (missing ?? shown[0] ?? kind)?.focus();
}

/**
 * Focus what a form asks first: what happens to an existing mapping, then the kind of action.
 * @return whether there is such a question
 */
export function focusQuestion(form: HTMLElement): boolean {
  const choice = form.querySelector<HTMLElement>("[data-taken] button, .tiles button");
  choice?.focus();
  return choice !== null;
}
