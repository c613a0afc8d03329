/** Gestures that MIDI Learn can listen for, and the suggestions for each gesture. */
import { localized } from "$language/language.svelte";
import type { LearnSuggestion, TriggerInput } from "$lib/client/types";
import { strings } from "./strings";

export type Gesture = "any" | "tap" | "hold" | "double" | "chord" | "turn" | "layers";

export const GESTURES: readonly { value: Gesture; label: string; ask: string }[] = localized(() => [
  {
    value: "any",
    label: strings.anything,
    ask: strings.anythingHint,
  },
  { value: "tap", label: strings.tap, ask: strings.tapHint },
  { value: "hold", label: strings.hold, ask: strings.holdHint },
  { value: "double", label: strings.doubleTap, ask: strings.doubleTapHint },
  { value: "chord", label: strings.chord, ask: strings.chordHint },
  {
    value: "turn",
    label: strings.turnOrMove,
    ask: strings.turnHint,
  },
  { value: "layers", label: strings.softAndHard, ask: strings.softAndHardHint },
]);

const GESTURE_OF_TRIGGER: Record<string, Gesture> = {
  Note: "tap",
  GamepadButton: "tap",
  ProgramChange: "tap",
  Sysex: "tap",
  OscMessage: "tap",
  LongPress: "hold",
  DoubleTap: "double",
  NoteChord: "chord",
  GamepadButtonChord: "chord",
  CC: "turn",
  EncoderTurn: "turn",
  PitchBend: "turn",
  Nrpn: "turn",
  Aftertouch: "turn",
  GamepadAnalogStick: "turn",
  GamepadTrigger: "turn",
  VelocityRange: "layers",
};

export function gestureOf(trigger: TriggerInput): Gesture {
  if (trigger.type === "CC" && "value_min" in trigger && trigger.value_min) return "tap";
  return GESTURE_OF_TRIGGER[trigger.type] ?? "tap";
}

const isSameTrigger = (a: TriggerInput, b: TriggerInput): boolean =>
  JSON.stringify(a) === JSON.stringify(b);

/**
 * Return the suggestions for a gesture. Without a suggestion for hold or double tap, suggestions of
 * single presses are converted.
 */
export function suggestionsFor(
  found: readonly LearnSuggestion[],
  gesture: Gesture,
  hold_ms: number,
): LearnSuggestion[] {
  if (gesture === "any") return [...found];
  const own = found.filter((one) => gestureOf(one.trigger) === gesture);
  if (own.length || (gesture !== "hold" && gesture !== "double")) return own;
  return found
    .flatMap((one) => convertPress(one, gesture, hold_ms))
    .filter(
      (one, index, all) =>
        all.findIndex((other) => isSameTrigger(one.trigger, other.trigger)) === index,
    );
}

/** Convert the suggestion of a press into a hold or double tap. Other suggestions are dropped. */
function convertPress(
  one: LearnSuggestion,
  gesture: "hold" | "double",
  hold_ms: number,
): LearnSuggestion[] {
  const { type, ...rest } = one.trigger as { type: string } & Record<string, unknown>;
  if (type !== "Note" && type !== "GamepadButton") return [];
  const kind = gesture === "hold" ? "LongPress" : "DoubleTap";
  const word = gesture === "hold" ? strings.hold : strings.doubleTap;
  const duration = gesture === "hold" ? { duration_ms: hold_ms } : {};
  const trigger = { type: kind, ...rest, ...duration } as unknown as TriggerInput;
  return [
    {
      trigger,
      why: gesture === "hold" ? strings.holdToSet : strings.tapTwiceToSet,
      confidence: 0.4,
      words: { ...one.words, trigger: `${word}: ${one.words.trigger}` },
    },
  ];
}
