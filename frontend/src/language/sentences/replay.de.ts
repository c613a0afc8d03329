/** German translations of what recorded input would do with a change (engine/replay_summary.py). */

export const replay: readonly (readonly [english: string, german: string])[] = [
  [
    "{n} {event} of {control} that did {what} would now do {what2}.",
    "{n} {event} von {control}: jetzt {what2} statt {what}.",
  ],
  [
    "{n} {event} of {control} that did {what} would now do nothing.",
    "{n} {event} von {control}: jetzt nichts statt {what}.",
  ],
  ["{n} {event} of {control} would now do {what}.", "{n} {event} von {control}: jetzt {what}."],
  [
    "{n} {event} of {control} in mode {name} would now do {what}.",
    "{n} {event} von {control} im Modus {name}: jetzt {what}.",
  ],
  [
    "{n} {event} of {control} would now also do {what}.",
    "{n} {event} von {control}: jetzt auch {what}.",
  ],
  [
    "{n} {event} of {control} in mode {name} would now also do {what}.",
    "{n} {event} von {control} im Modus {name}: jetzt auch {what}.",
  ],
  [
    "{n} {event} of {control} would do {what} {ms} ms later.",
    "{n} {event} von {control}: {what} {ms} ms später.",
  ],
  [
    "{n} {event} of {control} would do {what} {ms} ms earlier.",
    "{n} {event} von {control}: {what} {ms} ms früher.",
  ],
  [
    "{n} {event} of {control} would do {what} {low} to {high} ms later.",
    "{n} {event} von {control}: {what} {low} bis {high} ms später.",
  ],
  [
    "{n} {event} of {control} would do {what} {low} to {high} ms earlier.",
    "{n} {event} von {control}: {what} {low} bis {high} ms früher.",
  ],
  ["it with other details", "dasselbe mit anderen Einzelheiten"],
  ["press", "Druck"],
  ["presses", "Drücke"],
  ["release", "Loslassen"],
  ["releases", "Loslassen"],
  ["message", "Nachricht"],
  ["messages", "Nachrichten"],
  ["move", "Bewegung"],
  ["moves", "Bewegungen"],
  ["{n} more change like these.", "{n} weitere Änderung dieser Art."],
  ["{n} more changes like these.", "{n} weitere Änderungen dieser Art."],
  ["{n} more that appear are not listed.", "{n} weitere neue sind nicht aufgeführt."],
  ["{n} more that vanish are not listed.", "{n} weitere wegfallende sind nicht aufgeführt."],
  ["{n} more that move are not listed.", "{n} weitere verschobene sind nicht aufgeführt."],
  ["{n} older events were left out.", "{n} ältere Ereignisse wurden weggelassen."],
];
