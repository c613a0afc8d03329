/** The field of a form that gets the keyboard focus first. */

/**
 * Focus the first field of an action or a trigger. The field before it selects the kind, which is
 * chosen already: a text that is typed there would change the kind.
 */
export function focusFirstField(form: HTMLElement): void {
  const [kind, ...fields] = form.querySelectorAll<HTMLElement>(
    ":is(input:not([type=range]), textarea, select)",
  );
  (fields.find((field) => !field.closest("details:not([open])")) ?? kind)?.focus();
}
