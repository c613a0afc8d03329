/** A server's question as a form: the few kinds of fields that servers may ask for. Pure. */
import type { QuestionView } from "$lib/client/types";
import { strings } from "./strings";

export interface Asked {
  name: string;
  label: string;
  help: string;
  kind: "text" | "number" | "integer" | "boolean" | "choice" | "choices";
  options: { value: string; label: string }[];
  required: boolean;
  standard: unknown;
  /** Of a text: `email`, `uri`, `date` or `date-time`. */
  format: string;
  min?: number;
  max?: number;
}
interface Field {
  type?: string;
  title?: string;
  description?: string;
  default?: unknown;
  format?: string;
  enum?: unknown[];
  enumNames?: unknown[];
  oneOf?: { const?: unknown; title?: unknown }[];
  anyOf?: { const?: unknown; title?: unknown }[];
  items?: Field;
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
}

export function askedOf(schema: QuestionView["schema"]): Asked[] {
  const properties = (schema["properties"] ?? {}) as Record<string, Field>;
  const required = Array.isArray(schema["required"]) ? schema["required"] : [];
  return Object.entries(properties).map(([name, field]) => {
    const { minimum: min = field.minLength, maximum: max = field.maxLength } = field;
    return {
      name,
      label: field.title ?? name,
      help: field.description ?? "",
      kind: kindOf(field),
      options: optionsOf(field),
      required: required.includes(name),
      standard: field.default,
      format: field.format ?? "",
      ...(min === undefined ? {} : { min }),
      ...(max === undefined ? {} : { max }),
    };
  });
}

function kindOf(field: Field): Asked["kind"] {
  if (field.type === "array") return "choices";
  if (optionsOf(field).length) return "choice";
  return field.type === "number" || field.type === "integer" || field.type === "boolean"
    ? field.type
    : "text";
}

function optionsOf({ enum: values, enumNames, oneOf, anyOf, items }: Field): Asked["options"] {
  if (values)
    return values.map((value, index) => ({
      value: String(value),
      label: String(enumNames?.[index] ?? value),
    }));
  const titled = oneOf ?? anyOf;
  if (titled)
    return titled
      .filter((one) => one.const !== undefined)
      .map((one) => ({ value: String(one.const), label: String(one.title ?? one.const) }));
  return items ? optionsOf(items) : [];
}

/** Gives what each field starts from; what the server does not say is left open. */
export function startOf(fields: readonly Asked[]): Record<string, unknown> {
  return Object.fromEntries(
    fields.map(({ name, kind, standard }) => [
      name,
      standard ??
        (kind === "boolean" ? false : kind === "choices" ? [] : kind === "text" ? "" : null),
    ]),
  );
}

/** Gives what is still wrong, by field. */
export function problemsOf(
  fields: readonly Asked[],
  values: Readonly<Record<string, unknown>>,
): Record<string, string> {
  return Object.fromEntries(
    fields.flatMap((field) => {
      const problem = problemOf(field, values[field.name]);
      return problem ? [[field.name, problem]] : [];
    }),
  );
}

function problemOf({ kind, required, min, max, options }: Asked, value: unknown): string {
  const empty =
    value === null ||
    value === undefined ||
    value === "" ||
    (Array.isArray(value) && !value.length);
  if (empty) return required ? strings.required : "";
  if (kind === "choice" && !options.some((one) => one.value === value)) return strings.chooseOne;
  if (kind === "integer" && !Number.isInteger(value)) return strings.enterWholeNumber;
  const size =
    typeof value === "string" ? [...value].length : typeof value === "number" ? value : null;
  if (size === null || kind === "choice") return "";
  const unit = typeof value === "string" ? " characters" : "";
  if (min !== undefined && size < min) return strings.atLeast(min, unit);
  return max !== undefined && size > max ? strings.atMost(max, unit) : "";
}

/** Gives what is sent: only what was filled in. */
export function contentOf(
  fields: readonly Asked[],
  values: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const filled = fields.filter(
    ({ name }) => values[name] !== null && values[name] !== undefined && values[name] !== "",
  );
  return Object.fromEntries(
    filled.map(({ name, format }) => [
      name,
      format === "date-time" ? new Date(String(values[name])).toISOString() : values[name],
    ]),
  );
}
