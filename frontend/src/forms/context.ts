/** What all fields of one form share. */
import { getContext, setContext } from "svelte";
import type { NoteNames } from "./names";
import type { Defs } from "./schema";

/** What the pickers offer. */
export interface Choices {
  devices: readonly string[];
  outputs: readonly string[];
  modes: readonly string[];
  variables: readonly string[];
  apps: readonly string[];
  noteNames: NoteNames;
}
export interface FormContext {
  defs: Defs;
  choices: Choices;
  /** By field path, relative to the form. */
  errors: Readonly<Record<string, string>>;
}

const KEY = Symbol("form");

export function provideForm(form: FormContext): void {
  setContext(KEY, form);
}

export function useForm(): FormContext {
  return getContext<FormContext>(KEY);
}

export function join(path: string, name: string | number): string {
  return path ? `${path}.${name}` : String(name);
}

/** Takes the errors of one part out of those of the whole: `changes.0.mapping.trigger` and what is below. */
export function errorsUnder(errors: Readonly<Record<string, string>>, prefix: string): Record<string, string> {
  const under = Object.entries(errors).filter(([path]) => path === prefix || path.startsWith(`${prefix}.`));
  return Object.fromEntries(under.map(([path, message]) => [path.slice(prefix.length + 1), message]));
}
