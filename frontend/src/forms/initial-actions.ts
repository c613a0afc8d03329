/** Initial actions, and the kinds of action that are used most. */
import type { ActionInput, TriggerInput } from "$lib/client/types";
import { changeKind, rootSchema, shapeOf } from "./schema";

/** Return an initial action of a kind, which can be invalid until filled in; null if unknown. */
export function initialAction(kind: string): ActionInput | null {
  const { schema, defs } = rootSchema("Action");
  const shape = shapeOf(schema, defs);
  if (shape.is !== "union") return null;
  const found = shape.kinds.find((one) => one.tag === kind);
  return found
    ? (changeKind(found.schema, kind, shape.tagField, defs) as unknown as ActionInput)
    : null;
}

/** The triggers whose control has a position or a force that an action can follow. */
const FOLLOWED_TRIGGERS: readonly TriggerInput["type"][] = [
  "CC",
  "Nrpn",
  "PitchBend",
  "Aftertouch",
  "GamepadTrigger",
  "GamepadAnalogStick",
];

/**
 * Return an initial action that suits its trigger: the volume, or a control change on the same
 * channel, follows a knob or a fader.
 */
export function actionForTrigger(action: ActionInput, trigger: TriggerInput | null): ActionInput {
  if (!trigger || !FOLLOWED_TRIGGERS.includes(trigger.type)) return action;
  if (trigger.type === "CC" && trigger.value_min != null) return action; // a switch
  const value = { from: "value" } as const;
  if (action.type === "VolumeControl" && action.value == null)
    return { ...action, operation: "Set", value };
  if (action.type !== "SendMidi") return action;
  const controller = trigger.type === "CC" ? { controller: trigger.cc } : {};
  const channel = trigger.channel == null ? {} : { channel: trigger.channel };
  return { ...action, message_type: "CC", ...controller, ...channel, value };
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

/**
 * Return kinds of action, most used first, followed by common ones.
 * @param kinds the kind of each action in the config.
 */
export function mostUsedKinds(kinds: readonly string[], most = 9): string[] {
  const counts = new Map<string, number>();
  for (const kind of kinds) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  const used = [...counts].sort((a, b) => b[1] - a[1]).map(([kind]) => kind);
  return [...new Set([...used, ...COMMON_KINDS])].slice(0, most);
}
