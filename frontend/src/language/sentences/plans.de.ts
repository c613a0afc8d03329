/**
 * German translations of the warnings of plans (config/draft.py), and of what a config needs and
 * this computer lacks (app/missing.py).
 */

export const plans: readonly (readonly [english: string, german: string])[] = [
  ["Mapping {n} of mode {text}: {reason}", "Mapping {n} von Modus {text}: {reason}"],
  ["Mapping {n} of profile {text}: {reason}", "Mapping {n} von Profil {text}: {reason}"],
  ["Mapping {n} of all modes: {reason}", "Mapping {n} aller Modi: {reason}"],
  ["This mapping runs a program: {text}", "Dieses Mapping startet ein Programm: {text}"],
  ["This mapping opens a link: {text}", "Dieses Mapping öffnet einen Link: {text}"],
  [
    "{action} ends a line or has invisible characters: a terminal would run what it types",
    "{action} beendet eine Zeile oder hat unsichtbare Zeichen: Ein Terminal würde den Text " +
      "ausführen",
  ],
  [
    "This mapping types and presses Enter, which could run a command line",
    "Dieses Mapping tippt und drückt Enter, was eine Befehlszeile ausführen könnte",
  ],
  ["`{name}` goes from {text} to {text2}", "`{name}` wird von {text} auf {text2} geändert"],
  ["{reason} - did you mean `{name}`?", "{reason}. Gemeint war vielleicht `{name}`."],
  ["{reason}; there is {text}", "{reason}; es gibt {text}"],
  ["{reason}; there are no outputs", "{reason}; es gibt keine Ausgänge"],
  ["{reason}; there are no servers yet", "{reason}; es gibt noch keine Server"],
  [
    "there is no program or app `{name}` on this computer",
    "auf diesem Computer gibt es kein Programm und keine App `{name}`",
  ],
  [
    "there is no program `{name}` on this computer",
    "auf diesem Computer gibt es kein Programm `{name}`",
  ],
  [
    "there is no file `{name}` on this computer",
    "auf diesem Computer gibt es keine Datei `{name}`",
  ],
  ["no MIDI output is called `{name}` now", "zurzeit heißt kein MIDI-Ausgang `{name}`"],
  [
    "no MIDI output of the device `{name}` is connected now",
    "zurzeit ist kein MIDI-Ausgang des Geräts `{name}` verbunden",
  ],
  [
    "no program on this computer listens on UDP port {n} now: start it, or check its OSC port",
    "zurzeit hört kein Programm auf diesem Computer auf UDP-Port {n}: es starten oder seinen " +
      "OSC-Port prüfen",
  ],
  [
    "no MCP server in mcp.json is called `{name}`",
    "in der mcp.json heißt kein MCP-Server `{name}`",
  ],
  [
    "the MCP server `{name}` has no tool `{text}`",
    "der MCP-Server `{name}` hat kein Tool `{text}`",
  ],
  [
    "the MCP server `{name}` had no tool `{text}` when it last ran",
    "der MCP-Server `{name}` hatte kein Tool `{text}`, als er zuletzt lief",
  ],
];
