/** Random values that fit a schema, from a seed. */
import { splitNullable, shapeOf, type Defs, type PlainObject, type Schema } from "$forms/schema";

export type Random = () => number;

/** mulberry32: small, and the same everywhere. */
export function seeded(seed: number): Random {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

const FIXED: Record<string, string[]> = {
  gamepad_axis: ["left_x", "right_y"],
  gamepad_button: ["south", "dpad_up"],
  keys: ["ctrl", "a", "f13"],
  color: ["red", "off"],
};
const PATTERNS: Record<string, string[]> = {
  "^(note|cc) \\d{1,3}$": ["note 36", "cc 102"],
  "^/[!-~]*$": ["/a/b", "/x"],
};
const EITHER = ["note", "cc", "button"];

export function anyValue(schema: Schema, defs: Defs, random: Random, depth = 0): unknown {
  const { optional, schema: inner } = splitNullable(schema, defs);
  if (optional && random() < 0.4) return null;
  const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)]!;
  const shape = shapeOf(inner, defs);
  switch (shape.is) {
    case "union": {
      // Deep down only kinds without actions or conditions of their own.
      const flat = shape.kinds.filter(
        ({ schema: kind }) =>
          !JSON.stringify(kind).includes("#/$defs/Action") &&
          !JSON.stringify(kind).includes("#/$defs/Condition"),
      );
      return kindValue(
        depth > 1 && flat.length ? pick(flat) : pick(shape.kinds),
        shape.tagField,
        defs,
        random,
        depth,
      );
    }
    case "variants":
      return anyValue(pick(shape.variants), defs, random, depth);
    case "object":
      return shape.free
        ? { key: Math.floor(random() * 100) }
        : objectValue(inner, defs, random, depth);
    case "list": {
      const least = inner.minItems ?? 0;
      const count = least + Math.floor(random() * Math.min(3, (inner.maxItems ?? 9) - least + 1));
      const values = Array.from({ length: count }, () =>
        inner.format === "gamepad_buttons"
          ? pick(["south", "east", "l1", "r1"])
          : inner.format === "keys"
            ? pick(FIXED["keys"]!)
            : anyValue(shape.item, defs, random, depth + 1),
      );
      return inner.format === "notes" ||
        inner.format === "gamepad_buttons" ||
        shape.item.maximum === 7
        ? unique(values)
        : values;
    }
    case "enum":
      return pick(shape.values);
    case "boolean":
      return random() < 0.5;
    case "integer":
      return Math.floor(
        (inner.minimum ?? 0) + random() * ((inner.maximum ?? 200) - (inner.minimum ?? 0) + 1),
      );
    case "number":
      return (
        Math.round(
          ((inner.minimum ?? inner.exclusiveMinimum ?? 0) +
            0.1 +
            random() * ((inner.maximum ?? 50) - 0.2)) *
            10,
        ) / 10
      );
    default:
      return pick(
        FIXED[inner.format ?? ""] ??
          PATTERNS[inner.pattern ?? ""] ??
          (inner.pattern?.includes("[01]")
            ? ["09:30", "23:59"]
            : ["plain", "<b>bold</b>", "ünï 🎹", "a b"]),
      );
  }
}

export function kindValue(
  kind: { tag: string; schema: Schema },
  tagField: string,
  defs: Defs,
  random: Random,
  depth = 0,
): PlainObject {
  return { [tagField]: kind.tag, ...objectValue(kind.schema, defs, random, depth + 1) };
}

function objectValue(schema: Schema, defs: Defs, random: Random, depth: number): PlainObject {
  const shape = shapeOf(schema, defs);
  const fields = shape.is === "object" ? shape.fields : [];
  const value: PlainObject = {};
  for (const [name, field, required] of fields)
    if (required || random() < 0.7) value[name] = anyValue(field, defs, random, depth);
  const either = EITHER.filter((name) =>
    fields.some(([field, inner]) => field === name && splitNullable(inner, defs).optional),
  );
  if (either.length > 1) {
    const kept = either[Math.floor(random() * either.length)]!;
    for (const name of either) value[name] = null;
    value[kept] = kept === "button" ? "south" : Math.floor(random() * 128);
  }
  return value;
}

function unique(values: unknown[]): unknown[] {
  const found = [...new Set(values)];
  for (let spare = 1; found.length < values.length; spare++) {
    const next = typeof values[0] === "number" ? spare : ["north", "west", "guide"][spare - 1];
    if (!found.includes(next)) found.push(next);
  }
  return found;
}
