/** German translations of what is wrong with a slash command (agent/slash). */

export const slashErrors: readonly (readonly [english: string, german: string])[] = [
  ["Say which control, such as {text}.", "Ein Bedienelement nennen, etwa {text}."],
  ["Say what to do, such as {text}.", "Eine Aktion nennen, etwa {text}."],
  ["Say which keys, such as {text}.", "Tasten nennen, etwa {text}."],
  [
    "Say what to do to the volume: up, down, mute, to 40%, from the knob.",
    "Eine Änderung der Lautstärke nennen: `up`, `down`, `mute`, `to 40%` oder `from the knob`.",
  ],
  ["Say what to send: {text} or {name}.", "Eine Nachricht nennen: {text} oder {name}."],
  [
    "Say where to send it: `{text}`; /devices lists the outputs.",
    "Das Ziel nennen: `{text}`; `/devices` listet die Ausgänge auf.",
  ],
  [
    "Say where to send it as `{text}`, such as `{name}`.",
    "Das Ziel als `{text}` nennen, etwa `{name}`.",
  ],
  ["Say the direction: {text} or {name}.", "Die Richtung nennen: {text} oder {name}."],
  ["Say the direction: {text}.", "Die Richtung nennen: {text}."],
  ["Say how long: {text}.", "Die Dauer nennen: {text}."],
  ["Say which device: {text}.", "Das Gerät nennen: {text}."],
  [
    "Join keys with `+`, such as `{name}`; to type a text write `{text}`.",
    "Tasten mit `+` verbinden, etwa `{name}`; um Text einzugeben, `{text}` schreiben.",
  ],
  [
    "`{text}` is not an action: unknown key `{name}` - did you mean `{text2}`?",
    "`{text}` ist keine Aktion: unbekannte Taste `{name}`. Gemeint war vielleicht `{text2}`.",
  ],
  [
    "Unknown gamepad button `{name}`; buttons are {text}.",
    "Unbekannte Gamepad-Taste `{name}`; es gibt {text}.",
  ],
  [
    "Invalid mode: '{text}' does not exist - did you mean `{name}`?",
    "Den Modus „{text}“ gibt es nicht. Gemeint war vielleicht `{name}`.",
  ],
  ["Modes are {text}.", "Es gibt die Modi {text}."],
  [
    "The window has no view `{text}` - did you mean `{name}`?",
    "Das Fenster hat keine Ansicht `{text}`. Gemeint war vielleicht `{name}`.",
  ],
  [
    "Only a pad, a key or a gamepad button can be held or double-tapped.",
    "Nur Pads, Tasten und Gamepad-Tasten lassen sich halten oder doppelt tippen.",
  ],
  [
    "A chord can only be pressed: write {text}.",
    "Ein Akkord lässt sich nur drücken: {text} schreiben.",
  ],
  [
    "`{name}` is for a pad or key, such as `{text}`.",
    "`{name}` ist für ein Pad oder eine Taste, etwa `{text}`.",
  ],
  ["Which control is {text}?", "Welches Bedienelement ist {text}?"],
  [
    "Its MIDI number is unknown: touch the control first, then write `that`, " +
      "or give the number, such as `{text}`.",
    "Seine MIDI-Nummer ist unbekannt: das Bedienelement zuerst berühren und dann `that` " +
      "schreiben, oder die Nummer angeben, etwa `{text}`.",
  ],
  [
    "`{text}` is not a note: write its number (0 to 127) or its name, such as C2.",
    "`{text}` ist keine Note: ihre Nummer (0 bis 127) oder ihren Namen schreiben, etwa C2.",
  ],
  [
    "`{text}` is not a note: write its number (0 to 127) or its name, such as C2; " +
      "write {name}, such as {action}.",
    "`{text}` ist keine Note: ihre Nummer (0 bis 127) oder ihren Namen schreiben, etwa C2; " +
      "{name} schreiben, etwa {action}.",
  ],
  ["`{text}` is not a note.", "`{text}` ist keine Note."],
  // The first problem of a trigger or an action
  [
    "Notes: Tuple should have at least {n} items after validation, not {count}.",
    "Ein Akkord hat mindestens {n} Noten, nicht {count}.",
  ],
  ["Notes: a chord names each note once.", "Ein Akkord nennt jede Note nur einmal."],
  ["Duration_ms: must be greater than or equal to {n}.", "Die Dauer ist mindestens {n} ms."],
  [
    "Value_min is over value_max: no value can match.",
    "Der kleinste Wert ist größer als der größte: Kein Wert passt.",
  ],
  [
    "Keys: the `fn` key is handled inside the keyboard; no program can press it.",
    "Die Taste `fn` wirkt nur in der Tastatur; kein Programm kann sie drücken.",
  ],
  // A value that is missing or not possible
  [
    "`{text}` is not {what} ({low} to {high}).",
    "`{text}` ist nicht möglich als {what} ({low} bis {high}).",
  ],
  ["{what} is missing.", "{what} fehlt."],
  ["a note", "Note"],
  ["a channel", "Kanal"],
  ["a controller", "Controller"],
  ["a value", "Wert"],
  ["a velocity", "Anschlagstärke"],
  ["a program", "Programm"],
  ["a parameter", "Parameter"],
  ["a number of times", "Anzahl"],
  ["a volume in percent", "Lautstärke in Prozent"],
  ["an event's number", "Nummer eines Ereignisses"],
  ["the number of a CC", "Nummer eines CC"],
  ["the number of its note or CC", "Nummer der Note oder des CC"],
  ["the note", "die Note"],
  ["the app", "die App"],
  ["the output", "der Ausgang"],
  ["the alias", "der Name"],
  ["the new name", "der neue Name"],
  ["the mode's name", "der Name des Modus"],
  ["the new mode's name", "der Name des neuen Modus"],
  ["the profile's name", "der Name des Profils"],
  ["the device's name", "der Name des Geräts"],
  ["the device's name, or a part of it", "der Name des Geräts oder ein Teil davon"],
  ["the view", "die Ansicht"],
  ["the variable's name", "der Name der Variable"],
  ["its value", "ihr Wert"],
  ["The text, such as {text}, is missing.", "Der Text fehlt, etwa {text}."],
];
