/** German translations of the reasons that MIDI Learn gives (domain/patterns.py). */

export const learn: readonly (readonly [english: string, german: string])[] = [
  ["{control} was pressed once", "{control} einmal gedrückt"],
  ["{control} was pressed twice", "{control} zweimal gedrückt"],
  ["{control} was pressed {n} times", "{control} {n}-mal gedrückt"],
  ["held for {ms} ms", "{ms} ms gehalten"],
  ["two presses {ms} ms apart", "zwei Drücke im Abstand von {ms} ms"],
  [
    "soft strikes: velocities {low} to {high} were played",
    "leise Anschläge: gespielt wurden Anschlagstärken von {low} bis {high}",
  ],
  [
    "hard strikes: velocities {low} to {high} were played",
    "harte Anschläge: gespielt wurden Anschlagstärken von {low} bis {high}",
  ],
  ["{n} pressed within {ms} ms", "{n} innerhalb von {ms} ms gedrückt"],
  ["only 0 and 127 were sent: a button", "nur 0 und 127 gesendet: eine Taste"],
  ["values {text} are steps, coded {name}", "die Werte {text} sind Schritte, codiert als {name}"],
  [
    "moved from {low} to {high}: a knob or fader",
    "von {low} nach {high} bewegt: ein Drehregler oder Fader",
  ],
  ["moved from {low} to {high}: a knob", "von {low} nach {high} bewegt: ein Drehregler"],
  ["moved from {low} to {high}: a fader", "von {low} nach {high} bewegt: ein Fader"],
  ["moved from {low} to {high}", "von {low} nach {high} bewegt"],
  ["{n} values from {low} to {high}", "{n} Werte von {low} bis {high}"],
];
