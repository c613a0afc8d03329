/** German translations of what recorded input would do with a change (engine/replay_summary.py). */

export const replay: readonly (readonly [english: string, german: string])[] = [
  [
    "{n} {event} of {control} that did {what} would now do {what2}.",
    "{n}-mal {control} {event}: bisher {what}, jetzt {what2}.",
  ],
  [
    "{n} {event} of {control} that did {what} would now do nothing.",
    "{n}-mal {control} {event}: bisher {what}, jetzt nichts.",
  ],
  ["{n} {event} of {control} would now do {what}.", "{n}-mal {control} {event}: jetzt {what}."],
  [
    "{n} {event} of {control} in mode {name} would now do {what}.",
    "{n}-mal {control} im Modus {name} {event}: jetzt {what}.",
  ],
  [
    "{n} {event} of {control} would now also do {what}.",
    "{n}-mal {control} {event}: jetzt auch {what}.",
  ],
  [
    "{n} {event} of {control} in mode {name} would now also do {what}.",
    "{n}-mal {control} im Modus {name} {event}: jetzt auch {what}.",
  ],
  [
    "{n} {event} of {control} would do {what} {ms} ms later.",
    "{n}-mal {control} {event}: {what} {ms} ms später.",
  ],
  [
    "{n} {event} of {control} would do {what} {ms} ms earlier.",
    "{n}-mal {control} {event}: {what} {ms} ms früher.",
  ],
  [
    "{n} {event} of {control} would do {what} {low} to {high} ms later.",
    "{n}-mal {control} {event}: {what} {low} bis {high} ms später.",
  ],
  [
    "{n} {event} of {control} would do {what} {low} to {high} ms earlier.",
    "{n}-mal {control} {event}: {what} {low} bis {high} ms früher.",
  ],
  ["it with other details", "dasselbe mit anderen Einzelheiten"],
  ["press", "gedrückt"],
  ["presses", "gedrückt"],
  ["release", "losgelassen"],
  ["releases", "losgelassen"],
  ["message", "empfangen"],
  ["messages", "empfangen"],
  ["move", "bewegt"],
  ["moves", "bewegt"],
  ["{n} more change like these.", "{n} weitere Änderung dieser Art."],
  ["{n} more changes like these.", "{n} weitere Änderungen dieser Art."],
  ["{n} more that appear are not listed.", "{n} weitere neue sind nicht aufgeführt."],
  ["{n} more that vanish are not listed.", "{n} weitere wegfallende sind nicht aufgeführt."],
  ["{n} more that move are not listed.", "{n} weitere verschobene sind nicht aufgeführt."],
  ["{n} older events were left out.", "{n} ältere Ereignisse wurden weggelassen."],
];
