/** Initial actions, and the kinds of action that are offered first. */
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

/** The triggers of controls that are pressed and released. */
const HELD_TRIGGERS: readonly TriggerInput["type"][] = [
  "CC",
  "Note",
  "VelocityRange",
  "LongPress",
  "DoubleTap",
  "NoteChord",
  "GamepadButton",
  "GamepadButtonChord",
];

type SendMidi = Extract<ActionInput, { type: "SendMidi" }>;

/** Return whether a trigger fires for each value of its control, unlike a switch. */
const followsControl = (trigger: TriggerInput): boolean =>
  FOLLOWED_TRIGGERS.includes(trigger.type) && !(trigger.type === "CC" && trigger.value_min != null);

/**
 * Return an initial action that suits its trigger: the volume, or a control change on the same
 * channel, follows a knob or a fader, a note lasts as long as its pad is held, and a light is on
 * the device of the trigger.
 */
export function actionForTrigger(action: ActionInput, trigger: TriggerInput | null): ActionInput {
  if (!trigger) return action;
  if (action.type === "SendMidi") return firstMessage(action, trigger);
  if (action.type === "Led" && !action.device && trigger.device)
    return { ...action, device: trigger.device };
  if (action.type === "VolumeControl" && action.value == null && followsControl(trigger))
    return { ...action, operation: "Set", value: { from: "value" } };
  return action;
}

/** Return whether an action is still as it was when its kind was chosen. */
export function isUntouched(action: ActionInput | null, trigger: TriggerInput | null): boolean {
  if (!action) return true;
  const first = initialAction(action.type);
  const suited = first && actionForTrigger(first, trigger);
  return [first, suited].some((one) => JSON.stringify(one) === JSON.stringify(action));
}

/** A controller without a meaning of its own, unlike 0, which selects a bank of sounds. */
const FREE_CONTROLLER = 20;

/** The triggers that fire at a strike, whose force is the velocity of a note. */
const STRUCK_TRIGGERS: readonly TriggerInput["type"][] = ["Note", "VelocityRange"];

/**
 * Return the first message of a trigger: a note as loud as its pad is struck, which ends with it,
 * or the value of a knob.
 */
function firstMessage(action: SendMidi, trigger: TriggerInput): SendMidi {
  const channel = trigger.channel == null ? {} : { channel: trigger.channel };
  if (followsControl(trigger) || trigger.type === "EncoderTurn")
    return fillMessage({ ...action, message_type: "CC", ...channel }, trigger);
  if (!HELD_TRIGGERS.includes(trigger.type)) return action;
  const note = "note" in trigger && typeof trigger.note === "number" ? { note: trigger.note } : {};
  const velocity = STRUCK_TRIGGERS.includes(trigger.type)
    ? { velocity: { from: "value" as const } }
    : {};
  const message = { ...note, ...velocity, ...channel, hold: "while_held" as const };
  return { ...action, message_type: "NoteOn", ...message };
}

/**
 * Return a MIDI message whose kind was changed to a control change, with the controller number and
 * the value of the control.
 */
export function fillMessage(action: SendMidi, trigger: TriggerInput | null): SendMidi {
  if (action.message_type !== "CC" || action.controller != null || action.value != null)
    return action;
  const isController = trigger?.type === "CC" || trigger?.type === "EncoderTurn";
  const controller = isController ? trigger.cc : FREE_CONTROLLER;
  return { ...action, controller, value: { from: "value" } };
}

/** The kinds of action that are offered first, always in this order. */
export const COMMON_KINDS = [
  "Keystroke",
  "Launch",
  "VolumeControl",
  "ModeChange",
  "Text",
  "SendMidi",
  "MouseClick",
  "Sequence",
  "OscSend",
] as const;
