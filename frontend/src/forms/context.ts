/** What all fields of one form share. */
import { getContext, setContext } from "svelte";
import type { NoteNames } from "./names";
import type { Defs, Plain } from "./schema";

/** What the pickers offer. */
export interface Choices {
  devices: readonly string[];
  outputs: readonly string[];
  modes: readonly string[];
  variables: readonly string[];
  apps: readonly string[];
  noteNames: NoteNames;
  /** The MCP servers, with their tools as far as they are known. */
  servers: readonly { name: string; state: string; tools: readonly ToolChoice[] }[];
}
export interface ToolChoice {
  name: string;
  title: string;
  description: string;
  parameters: Plain;
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

const BESIDE = Symbol("beside");

/**
 * Lets the fields of an object see what stands beside them, as the tools of a server depend on the
 * server.
 */
export function provideBeside(get: () => Plain): void {
  setContext(BESIDE, get);
}

export function useBeside(): () => Plain {
  return getContext<(() => Plain) | undefined>(BESIDE) ?? (() => ({}));
}

export function join(path: string, name: string | number): string {
  return path ? `${path}.${name}` : String(name);
}

/**
 * Takes the errors of one part out of those of the whole: `changes.0.mapping.trigger` and what is
 * below.
 */
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
