/** Svelte contexts that the fields of a form share. */
import { getContext, setContext } from "svelte";
import type { NoteNames } from "./names";
import type { Defs, PlainObject } from "./schema";

/** The options that the pickers of a form offer. */
export interface Choices {
  devices: readonly string[];
  outputs: readonly string[];
  modes: readonly string[];
  variables: readonly string[];
  noteNames: NoteNames;
  /** The duration that a hold starts with. */
  hold_ms: number;
  /** The MCP servers with the tools that have been loaded. */
  servers: readonly { name: string; state: string; tools: readonly ToolChoice[] }[];
}
export interface ToolChoice {
  name: string;
  title: string;
  description: string;
  parameters: PlainObject;
}
export interface FormContext {
  defs: Defs;
  choices: Choices;
  /** Error messages by field path, relative to the form. */
  errors: Readonly<Record<string, string>>;
  /** Whether the recorder of keystrokes must start. It calls `onRecord` when it has started. */
  readonly record: boolean;
  onRecord: () => void;
  /** The path of the part whose kind the user chose last. */
  chosenPath: string;
}

const FORM_KEY = Symbol("form");

export function provideForm(form: FormContext): void {
  setContext(FORM_KEY, form);
}

export function useForm(): FormContext {
  return getContext<FormContext>(FORM_KEY);
}

const SIBLINGS_KEY = Symbol("siblings");

/**
 * Provide the values of an object to its fields. The tool picker needs them, because its options
 * depend on the server.
 */
export function provideSiblings(get: () => PlainObject): void {
  setContext(SIBLINGS_KEY, get);
}

export function useSiblings(): () => PlainObject {
  return getContext<(() => PlainObject) | undefined>(SIBLINGS_KEY) ?? (() => ({}));
}

/** Join a path and a field name or index: `changes.0.mapping`. */
export function joinPath(path: string, name: string | number): string {
  return path ? `${path}.${name}` : String(name);
}

/** Return the errors at or below a path, with their paths relative to it. */
export function errorsUnder(
  errors: Readonly<Record<string, string>>,
  prefix: string,
): Record<string, string> {
  const under = Object.entries(errors).filter(
    ([path]) => path === prefix || path.startsWith(`${prefix}.`),
  );
  return Object.fromEntries(
    under.map(([path, message]) => [path.slice(prefix.length + 1), message]),
  );
}
