/** Converts the JSON Schema of a tool into a list of its parameters. Pure. */
import { formatList } from "$language/format";
import { localized } from "$language/language.svelte";
import { strings } from "./strings";

export interface Parameter {
  name: string;
  kind: string;
  required: boolean;
  help: string;
}
interface Schema {
  type?: string | string[];
  description?: string;
  enum?: unknown[];
  const?: unknown;
  default?: unknown;
  items?: Schema;
  anyOf?: Schema[];
  oneOf?: Schema[];
  properties?: Record<string, Schema>;
  required?: string[];
}

const KINDS: Record<string, string> = localized(() => ({
  string: strings.text,
  integer: strings.wholeNumber,
  number: strings.number,
  boolean: strings.yesOrNo,
  array: strings.list,
  object: strings.object,
  null: strings.nothing,
}));
const MAX_VALUES = 12;

/** Return the parameters of a tool, required ones first. */
export function parametersOf(schema: Readonly<Record<string, unknown>>): Parameter[] {
  const { properties = {}, required = [] } = schema as Schema;
  const all = Object.entries(properties).map(([name, field]) => ({
    name,
    kind: kindOf(field),
    required: required.includes(name),
    help: helpOf(field),
  }));
  return [...all.filter((one) => one.required), ...all.filter((one) => !one.required)];
}

function kindOf(field: Schema): string {
  if (typeof field !== "object" || field === null) return strings.anything;
  if (field.const !== undefined) return JSON.stringify(field.const);
  if (field.enum)
    return (
      field.enum
        .slice(0, MAX_VALUES)
        .map((one) => String(one))
        .join(" | ") + (field.enum.length > MAX_VALUES ? " | …" : "")
    );
  const variants = field.anyOf ?? field.oneOf;
  if (variants)
    return formatList(
      [...new Set(variants.filter((one) => one.type !== "null").map(kindOf))],
      "disjunction",
    );
  if (Array.isArray(field.type))
    return formatList(
      field.type.filter((one) => one !== "null").map((one) => KINDS[one] ?? one),
      "disjunction",
    );
  if (field.type === "array" && field.items?.type) return strings.listOf(kindOf(field.items));
  return KINDS[field.type ?? ""] ?? strings.anything;
}

function helpOf(field: Schema): string {
  if (typeof field !== "object" || field === null) return "";
  const hasNoDefault =
    field.default === undefined ||
    field.default === null ||
    ['""', "[]", "{}"].includes(JSON.stringify(field.default));
  const defaultText = hasNoDefault ? "" : strings.ifOmitted(JSON.stringify(field.default));
  return [field.description, defaultText].filter(Boolean).join(" ");
}
