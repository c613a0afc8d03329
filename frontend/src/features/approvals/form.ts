/** Conversion of an MCP server's question to a form with the field kinds that MCP allows. */
import type { QuestionView } from "$lib/client/types";
import { strings } from "./strings";

export interface FormField {
  name: string;
  label: string;
  help: string;
  kind: "text" | "number" | "integer" | "boolean" | "choice" | "choices";
  options: { value: string; label: string }[];
  required: boolean;
  defaultValue: unknown;
  /** The format of a text field: `email`, `uri`, `date` or `date-time`. */
  format: string;
  min?: number;
  max?: number;
}
interface SchemaField {
  type?: string;
  title?: string;
  description?: string;
  default?: unknown;
  format?: string;
  enum?: unknown[];
  enumNames?: unknown[];
  oneOf?: { const?: unknown; title?: unknown }[];
  anyOf?: { const?: unknown; title?: unknown }[];
  items?: SchemaField;
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
}

export function parseFields(schema: QuestionView["schema"]): FormField[] {
  const properties = (schema["properties"] ?? {}) as Record<string, SchemaField>;
  const required = Array.isArray(schema["required"]) ? schema["required"] : [];
  return Object.entries(properties).map(([name, field]) => {
    const { minimum: min = field.minLength, maximum: max = field.maxLength } = field;
    return {
      name,
      label: field.title ?? name,
      help: field.description ?? "",
      kind: fieldKind(field),
      options: fieldOptions(field),
      required: required.includes(name),
      defaultValue: field.default,
      format: field.format ?? "",
      ...(min === undefined ? {} : { min }),
      ...(max === undefined ? {} : { max }),
    };
  });
}

function fieldKind(field: SchemaField): FormField["kind"] {
  if (field.type === "array") return "choices";
  if (fieldOptions(field).length) return "choice";
  return field.type === "number" || field.type === "integer" || field.type === "boolean"
    ? field.type
    : "text";
}

function fieldOptions({
  enum: values,
  enumNames,
  oneOf,
  anyOf,
  items,
}: SchemaField): FormField["options"] {
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
  return items ? fieldOptions(items) : [];
}

/** Return the initial value of each field. Fields without a default are left out. */
export function initialValues(fields: readonly FormField[]): Record<string, unknown> {
  return Object.fromEntries(
    fields.map(({ name, kind, defaultValue }) => [
      name,
      defaultValue ??
        (kind === "boolean" ? false : kind === "choices" ? [] : kind === "text" ? "" : null),
    ]),
  );
}

/** Return the error message of each invalid field, by field name. */
export function findProblems(
  fields: readonly FormField[],
  values: Readonly<Record<string, unknown>>,
): Record<string, string> {
  return Object.fromEntries(
    fields.flatMap((field) => {
      const problem = findProblem(field, values[field.name]);
      return problem ? [[field.name, problem]] : [];
    }),
  );
}

function findProblem({ kind, required, min, max, options }: FormField, value: unknown): string {
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
  const isText = typeof value === "string";
  if (min !== undefined && size < min) return isText ? strings.tooShort(min) : strings.atLeast(min);
  if (max !== undefined && size > max) return isText ? strings.tooLong(max) : strings.atMost(max);
  return "";
}

/** Return the content of the answer, without empty fields. */
export function toContent(
  fields: readonly FormField[],
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
