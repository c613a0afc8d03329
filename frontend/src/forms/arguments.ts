/** The arguments of a tool as rows of a form, with the kinds of value that each accepts. Pure. */
import { localized } from "$language/language.svelte";
import { isPlainObject, type PlainObject } from "./schema";
import { strings } from "./strings";

/** A kind of value that an argument can have in the form; `none` means not set. */
export type ValueKind =
  "none" | "text" | "number" | "boolean" | "choice" | "list" | "group" | "nothing" | "control";

/** A row of the form: one argument of the tool. */
export interface Argument {
  name: string;
  help: string;
  required: boolean;
  /** The kinds of value that the argument accepts. */
  kinds: ValueKind[];
  /** The possible texts, if the argument is a choice. */
  options: string[];
  /** Whether a number must be an integer. */
  whole: boolean;
  min?: number;
  max?: number;
  /** Whether the tool lists the argument. */
  known: boolean;
  /** The schema of each item, if the argument is a list; null: any values. */
  items: PlainObject | null;
  /** The schema of the group, if the argument is a group of values; null: any values. */
  group: PlainObject | null;
}
interface Field {
  type?: string | string[];
  description?: string;
  enum?: unknown[];
  const?: unknown;
  anyOf?: Field[];
  oneOf?: Field[];
  minimum?: number;
  maximum?: number;
  items?: unknown;
  properties?: unknown;
}

const ANY_KIND: ValueKind[] = ["text", "number", "boolean", "list", "group", "control"];
const VALUE_KIND_NAMES: Record<ValueKind, string> = localized(() => ({
  none: strings.notSet,
  text: strings.text,
  number: strings.number,
  boolean: strings.yesOrNo,
  choice: strings.oneOf,
  list: strings.list,
  group: strings.group,
  nothing: strings.nothingValue,
  control: strings.fromTheControl,
}));

/** Return a row for each parameter of the tool and for each argument that is not listed there. */
export function buildArguments(parameters: PlainObject | null, args: PlainObject): Argument[] {
  const properties = isPlainObject(parameters?.["properties"]) ? parameters["properties"] : {};
  const required = Array.isArray(parameters?.["required"]) ? parameters["required"] : [];
  const known = Object.entries(properties).map(([name, field]) =>
    buildArgument(name, field, required.includes(name)),
  );
  const unlisted = Object.keys(args)
    .filter((name) => !(name in properties))
    .map((name): Argument => ({
      name,
      help: parameters ? strings.argumentNotListed : "",
      required: false,
      kinds: ANY_KIND,
      options: [],
      whole: false,
      known: false,
      items: null,
      group: null,
    }));
  return [
    ...known.filter((one) => one.required),
    ...known.filter((one) => !one.required),
    ...unlisted,
  ];
}

/** Return the row of an argument or of an item of a list. @param given its JSON schema */
export function buildArgument(name: string, given: unknown, required: boolean): Argument {
  const field: Field = isPlainObject(given) ? given : {};
  const variants = [...(field.anyOf ?? []), ...(field.oneOf ?? [])].filter(
    (one) => one.type !== "null",
  );
  const schema = variants.length === 1 ? { ...field, ...variants[0] } : field;
  const options = (schema.enum ?? (schema.const === undefined ? [] : [schema.const])).filter(
    (one) => one !== null,
  );
  const isChoice = options.length > 0 && options.every((one) => typeof one === "string");
  const kinds = isChoice
    ? (["choice"] satisfies ValueKind[])
    : allowedValueKinds(schema.type, variants.length > 1);
  return {
    name,
    help: field.description ?? schema.description ?? "",
    required,
    kinds,
    options: isChoice ? options.map(String) : [],
    whole: schema.type === "integer",
    ...(schema.minimum === undefined ? {} : { min: schema.minimum }),
    ...(schema.maximum === undefined ? {} : { max: schema.maximum }),
    known: true,
    items: isPlainObject(schema.items) ? schema.items : null,
    group: isPlainObject(schema.properties) ? { ...schema } : null,
  };
}

function allowedValueKinds(type: string | string[] | undefined, hasVariants: boolean): ValueKind[] {
  const types = (Array.isArray(type) ? type : [type]).filter((one) => one !== "null");
  if (hasVariants || types.length !== 1) return ANY_KIND;
  switch (types[0]) {
    case "string":
      return ["text"];
    case "number":
    case "integer":
      return ["number", "control"];
    case "boolean":
      return ["boolean"];
    case "array":
      return ["list"];
    case "object":
      return ["group"];
    default:
      return ANY_KIND;
  }
}

/** Return the display name of a kind of value. */
export const valueKindName = (kind: ValueKind): string => VALUE_KIND_NAMES[kind];

/** Return whether an argument takes its value from the control. */
export function isFromControl(value: unknown): value is PlainObject {
  return isPlainObject(value) && (value["from"] === "value" || value["from"] === "steps");
}

/** Return the kind of value that an argument currently has. */
export function detectValueKind(value: unknown, kinds: readonly ValueKind[]): ValueKind {
  if (value === undefined) return "none";
  if (isFromControl(value)) return "control";
  if (typeof value === "boolean") return "boolean";
  if (typeof value === "number") return "number";
  if (typeof value === "string") return kinds.includes("choice") ? "choice" : "text";
  if (value === null) return "nothing";
  return Array.isArray(value) ? "list" : "group";
}

/** Return the initial value of a kind; undefined to remove the argument. */
export function initialArgument(kind: ValueKind, { options, min, max }: Argument): unknown {
  switch (kind) {
    case "none":
      return undefined;
    case "text":
      return "";
    case "number":
      return min ?? 0;
    case "boolean":
      return true;
    case "choice":
      return options[0] ?? "";
    case "list":
      return [];
    case "group":
      return {};
    case "nothing":
      return null;
    case "control":
      return {
        from: "value",
        ...(min === undefined ? {} : { min }),
        ...(max === undefined ? {} : { max }),
      };
  }
}
