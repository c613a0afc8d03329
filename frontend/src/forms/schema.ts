/**
 * Interprets the parts of JSON Schema that the backend uses, to choose the widget and the initial
 * value of a field.
 */
import schemas from "$lib/client/schemas.json";

export interface Schema {
  $ref?: string;
  type?: string;
  title?: string;
  description?: string;
  format?: string;
  default?: unknown;
  const?: unknown;
  enum?: string[];
  examples?: unknown[];
  minimum?: number;
  maximum?: number;
  exclusiveMinimum?: number;
  minLength?: number;
  maxLength?: number;
  pattern?: string;
  minItems?: number;
  maxItems?: number;
  items?: Schema;
  anyOf?: Schema[];
  oneOf?: Schema[];
  discriminator?: { propertyName: string; mapping: Record<string, string> };
  properties?: Record<string, Schema>;
  required?: string[];
  additionalProperties?: boolean | Schema;
  /** The unit of a number, which only the form knows. */
  unit?: string;
}
export type Defs = Record<string, Schema>;
export type Root = keyof typeof schemas;
export type PlainObject = Record<string, unknown>;

/** The structure of a field, after references are resolved and null is removed. */
export type Shape =
  | { is: "union"; kinds: { tag: string; schema: Schema }[]; tagField: string }
  | { is: "variants"; variants: Schema[] }
  | { is: "object"; fields: [name: string, schema: Schema, required: boolean][]; free: boolean }
  | { is: "list"; item: Schema }
  | { is: "enum"; values: string[] }
  | { is: "boolean" | "integer" | "number" | "string" };

/** Return the schema of a form and its definitions. */
export function rootSchema(root: Root): { schema: Schema; defs: Defs } {
  const { $defs = {}, ...schema } = schemas[root] as Schema & { $defs?: Defs };
  return { schema: resolve(schema, $defs), defs: $defs };
}

/** Resolve a `$ref`. Keywords next to the reference, such as a description, take precedence. */
export function resolve(schema: Schema, defs: Defs): Schema {
  const name = schema.$ref?.split("/").at(-1);
  if (!name) return schema;
  const { $ref: _, ...beside } = schema;
  return { ...resolve(defs[name] ?? {}, defs), ...beside };
}

/** Split a schema into the schema without null and whether null is allowed. */
export function splitNullable(schema: Schema, defs: Defs): { optional: boolean; schema: Schema } {
  const full = resolve(schema, defs);
  const others = full.anyOf?.filter((one) => one.type !== "null");
  if (!full.anyOf || !others || others.length === full.anyOf.length)
    return { optional: false, schema: full };
  const { anyOf: _, ...beside } = full;
  const inner = others.length === 1 ? resolve(others[0]!, defs) : { anyOf: others };
  return { optional: true, schema: { ...inner, ...beside } };
}

/** Return the structure of a field. */
export function shapeOf(schema: Schema, defs: Defs): Shape {
  const full = resolve(schema, defs);
  if (full.oneOf && full.discriminator) return unionShape(full, defs);
  if (full.anyOf) return { is: "variants", variants: full.anyOf.map((one) => resolve(one, defs)) };
  if (full.enum) return { is: "enum", values: full.enum };
  if (full.type === "array") return { is: "list", item: full.items ?? {} };
  if (full.type === "object")
    return { is: "object", fields: fieldsOf(full), free: !full.properties };
  if (full.type === "boolean" || full.type === "integer" || full.type === "number")
    return { is: full.type };
  return { is: "string" };
}

function unionShape(schema: Schema, defs: Defs): Shape {
  const { mapping, propertyName } = schema.discriminator!;
  const tagOf = Object.fromEntries(Object.entries(mapping).map(([tag, ref]) => [ref, tag]));
  const kinds = schema.oneOf!.map((one) => ({
    tag: tagOf[one.$ref ?? ""] ?? "",
    schema: resolve(one, defs),
  }));
  return { is: "union", kinds, tagField: propertyName };
}

const LAST_FIELDS = ["device", "channel", "when"];

/** Return the fields of an object: required fields first, device, channel and conditions last. */
function fieldsOf(schema: Schema): [string, Schema, boolean][] {
  const required = schema.required ?? [];
  const rank = (name: string): number => {
    if (required.includes(name)) return required.indexOf(name) - 100;
    return LAST_FIELDS.includes(name)
      ? 100 + LAST_FIELDS.indexOf(name)
      : name.includes("max")
        ? 1
        : 0;
  };
  return Object.entries(schema.properties ?? {})
    .filter(([, field]) => field.const === undefined)
    .sort(([a], [b]) => rank(a) - rank(b))
    .map(([name, field]) => [name, field, required.includes(name)]);
}

/** A pause that is noticed but not tedious. */
const INITIAL_DURATION_MS = 100;

/** Return an initial value with only the required fields, which can be invalid until filled in. */
export function initialValue(schema: Schema, defs: Defs): unknown {
  const full = resolve(schema, defs);
  if (full.default !== undefined) return structuredClone(full.default);
  if (full.const !== undefined) return full.const;
  const { optional, schema: inner } = splitNullable(full, defs);
  if (optional) return null;
  const shape = shapeOf(inner, defs);
  if (shape.is === "union")
    return changeKind(shape.kinds[0]!.schema, shape.kinds[0]!.tag, shape.tagField, defs);
  if (shape.is === "variants") return initialValue(shape.variants[0]!, defs);
  if (shape.is === "object")
    return Object.fromEntries(
      shape.fields
        .filter(([, , required]) => required)
        .map(([name, field]) => [name, initialValue(field, defs)]),
    );
  if (shape.is === "list") return [];
  if (shape.is === "enum") return shape.values[0];
  if (shape.is === "boolean") return false;
  if (shape.is === "string") return "";
  if (inner.examples) return inner.examples[0];
  if (inner.format === "note") return 60;
  if (inner.format === "duration_ms") return INITIAL_DURATION_MS;
  return Math.max(inner.minimum ?? 0, 0);
}

/** Return a new value of a kind. Fields of the old value that the kind also has are kept. */
export function changeKind(
  kind: Schema,
  tag: string,
  tagField: string,
  defs: Defs,
  old: PlainObject = {},
): PlainObject {
  const created: PlainObject = { [tagField]: tag };
  for (const [name, field, required] of fieldsOf(kind)) {
    if (name in old && matchesSchema(old[name], field, defs)) created[name] = old[name];
    else if (required) created[name] = initialValue(field, defs);
  }
  return created;
}

/** Return whether a value has the structure of a schema. Limits such as `maximum` are ignored. */
export function matchesSchema(value: unknown, schema: Schema, defs: Defs): boolean {
  const { optional, schema: inner } = splitNullable(schema, defs);
  if (value === null || value === undefined) return optional;
  const shape = shapeOf(inner, defs);
  if (shape.is === "variants") return shape.variants.some((one) => matchesSchema(value, one, defs));
  if (shape.is === "union")
    return isPlainObject(value) && shape.kinds.some(({ tag }) => tag === value[shape.tagField]);
  if (shape.is === "object")
    return (
      isPlainObject(value) &&
      (shape.free ||
        Object.keys(value).every((name) => shape.fields.some(([field]) => field === name)))
    );
  if (shape.is === "list")
    return Array.isArray(value) && value.every((one) => matchesSchema(one, shape.item, defs));
  if (shape.is === "enum") return shape.values.includes(value as string);
  if (shape.is === "integer") return Number.isInteger(value);
  return typeof value === shape.is;
}

/** Return whether a value is an object and not an array. */
export function isPlainObject(value: unknown): value is PlainObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
