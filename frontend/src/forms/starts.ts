/** Initial values of new actions, and the most used kinds. */
import type { ActionInput } from "$lib/client/types";
import { changeKind, rootSchema, shapeOf } from "./schema";

/** Return the initial action of a kind for a form; it may still need filling in. */
export function initialAction(kind: string): ActionInput | null {
  const { schema, defs } = rootSchema("Action");
  const shape = shapeOf(schema, defs);
  if (shape.is !== "union") return null;
  const found = shape.kinds.find((one) => one.tag === kind);
  return found
    ? (changeKind(found.schema, kind, shape.tagField, defs) as unknown as ActionInput)
    : null;
}

const COMMON_KINDS = [
  "Keystroke",
  "Launch",
  "VolumeControl",
  "ModeChange",
  "Text",
  "SendMidi",
  "MouseClick",
  "Sequence",
  "OscSend",
];

/** Return the kinds that the config uses, most used first, followed by common ones. */
export function mostUsed(kinds: readonly string[], most = 9): string[] {
  const counts = new Map<string, number>();
  for (const kind of kinds) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  const used = [...counts].sort((a, b) => b[1] - a[1]).map(([kind]) => kind);
  return [...new Set([...used, ...COMMON_KINDS])].slice(0, most);
}
