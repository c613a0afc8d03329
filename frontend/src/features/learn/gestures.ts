/** The ways a control can be touched, and which suggestions each stands for. Pure. */
import type { LearnSuggestion, TriggerInput } from "$lib/client/types";

export type Gesture = "any" | "tap" | "hold" | "double" | "chord" | "turn" | "layers";

export const GESTURES: readonly { value: Gesture; label: string; ask: string }[] = [
  {
    value: "any",
    label: "Anything",
    ask: "Press, hold, double-tap, turn or move what should do something.",
  },
  { value: "tap", label: "Tap", ask: "Press a pad, key or button once." },
  { value: "hold", label: "Hold", ask: "Press a pad or button and keep it down for a second." },
  { value: "double", label: "Double tap", ask: "Press the same pad or button twice, quickly." },
  { value: "chord", label: "Chord", ask: "Press two or more together." },
  {
    value: "turn",
    label: "Turn or move",
    ask: "Turn a knob both ways, or move a fader, wheel or stick.",
  },
  { value: "layers", label: "Soft and hard", ask: "Strike the same pad softly, then hard." },
];

const KINDS: Record<string, Gesture> = {
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
  return KINDS[trigger.type] ?? "tap";
}

const same = (a: TriggerInput, b: TriggerInput): boolean => JSON.stringify(a) === JSON.stringify(b);

/**
 * Gives the suggestions of a gesture; for hold and double tap also what a plain press could become.
 */
export function choices(found: readonly LearnSuggestion[], gesture: Gesture): LearnSuggestion[] {
  if (gesture === "any") return [...found];
  const own = found.filter((one) => gestureOf(one.trigger) === gesture);
  if (own.length || (gesture !== "hold" && gesture !== "double")) return own;
  return found
    .flatMap((one) => turned(one, gesture))
    .filter(
      (one, index, all) => all.findIndex((other) => same(one.trigger, other.trigger)) === index,
    );
}

/** Makes a hold or a double tap of a press that was only tapped. */
function turned(one: LearnSuggestion, gesture: "hold" | "double"): LearnSuggestion[] {
  const { type, ...rest } = one.trigger as { type: string } & Record<string, unknown>;
  if (type !== "Note" && type !== "GamepadButton") return [];
  const kind = gesture === "hold" ? "LongPress" : "DoubleTap";
  const word = gesture === "hold" ? "Hold" : "Double tap";
  const trigger = { type: kind, ...rest } as unknown as TriggerInput;
  return [
    {
      trigger,
      why:
        gesture === "hold"
          ? "only tapped so far; hold it to set how long"
          : "only tapped so far; tap it twice to set how fast",
      confidence: 0.4,
      words: { ...one.words, trigger: `${word}: ${one.words.trigger}` },
    },
  ];
}
