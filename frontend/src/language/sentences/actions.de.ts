/** German translations of why an action failed (devices/, system/, domain/lights.py, engine/). */

export const actions: readonly (readonly [english: string, german: string])[] = [
  // MIDI and OSC outputs (devices/midi/, system/osc_out.py)
  ["no MIDI output named `{name}`", "Kein MIDI-Ausgang namens `{name}`"],
  ["outputs are {text}", "vorhanden sind {text}"],
  ["there are no outputs now", "zurzeit gibt es keine Ausgänge"],
  ["plug one in", "einen anschließen"],
  [
    "MIDI output `{name}` could not be opened: {text}",
    "Der MIDI-Ausgang `{name}` ließ sich nicht öffnen: {text}",
  ],
  [
    "close other programs that use it, or plug it in again",
    "andere Programme schließen, die ihn verwenden, oder neu einstecken",
  ],
  [
    "could not send {text} to MIDI output `{name}`: {text2}",
    "{text} ließ sich nicht an den MIDI-Ausgang `{name}` senden: {text2}",
  ],
  [
    "a pitch bend goes from -8192 to 8191, not {n}",
    "Ein Pitchbend reicht von -8192 bis 8191, nicht {n}",
  ],
  ["MIDI channels go from 1 to 16, not {n}", "MIDI-Kanäle reichen von 1 bis 16, nicht {n}"],
  ["MIDI values go from 0 to 127, not {text}", "MIDI-Werte reichen von 0 bis 127, nicht {text}"],
  ["OSC port {n} is outside 1-65535", "Der OSC-Port {n} liegt außerhalb von 1-65535"],
  [
    "the OSC address `{text}` does not start with `/`",
    "Die OSC-Adresse `{text}` beginnt nicht mit `/`",
  ],
  ["OSC cannot carry these arguments: {text}", "OSC kann diese Argumente nicht übertragen: {text}"],
  [
    "OSC cannot reach {name} ({text}): check the host and the network",
    "OSC erreicht {name} nicht ({text}): den Host und das Netzwerk prüfen",
  ],
  // Lights (domain/lights.py)
  [
    "no profile says how `{name}` shows `{text}`: give the number that its manual names (0 to " +
      "127), or learn its profile with `conductor learn --profile`",
    "Kein Profil sagt, wie `{name}` die Farbe `{text}` zeigt: die Zahl aus der Anleitung " +
      "angeben (0 bis 127) oder sein Profil mit `conductor learn --profile` lernen",
  ],
  [
    "a Led action cannot light {name} of the {text}: {text2}",
    "Eine Licht-Aktion kann {name} von {text} nicht beleuchten: {text2}",
  ],
  [
    "{name} of the {text} exists on the channels {text2}",
    "{name} von {text} gibt es auf den Kanälen {text2}",
  ],
  ["give its channel", "den Kanal angeben"],
  [
    "the {text} has no known light for {name} on channel {n}",
    "{text} hat kein bekanntes Licht für {name} auf Kanal {n}",
  ],
  ["the {text} has no known light for {name}", "{text} hat kein bekanntes Licht für {name}"],
  ["it can light {text}", "es kann {text} beleuchten"],
  ["no light of it can be set", "kein Licht davon lässt sich setzen"],
  ["{name} of the {text} cannot show `{text2}`", "{name} von {text} kann `{text2}` nicht zeigen"],
  ["it shows {text} or a number from 0 to 127", "möglich: {text} oder eine Zahl von 0 bis 127"],
  ["it shows {text}", "möglich: {text}"],
  // Programs (system/programs.py, domain/command_checks.py)
  [
    "no app is given: set `app` to a program, app name, file or URL",
    "Keine App angegeben: für `app` ein Programm, den Namen einer App, eine Datei oder URL " +
      "eintragen",
  ],
  ["no program is given: set the command", "Kein Programm angegeben: den Befehl eintragen"],
  ["Windows cannot open `{name}`: {text}", "Windows kann `{name}` nicht öffnen: {text}"],
  ["`{name}` was killed by {text}", "`{name}` wurde durch {text} beendet"],
  [
    "`{name}` failed with exit code {n}: {text}",
    "`{name}` ist mit Exit-Code {n} fehlgeschlagen: {text}",
  ],
  ["`{name}` failed with exit code {n}", "`{name}` ist mit Exit-Code {n} fehlgeschlagen"],
  ["Shell actions are off", "Shell-Aktionen sind ausgeschaltet"],
  [
    "set `settings.engine.allow_shell = true` to let them run",
    "mit `settings.engine.allow_shell = true` erlauben",
  ],
  [
    "a Launch with arguments, or of an interpreter, counts as Shell, and Shell actions are off: " +
      "set `settings.engine.allow_shell = true` to let it run, or name an app, a file or a link " +
      "alone",
    "Ein Start mit Argumenten oder eines Interpreters zählt als Shell, und Shell-Aktionen sind " +
      "ausgeschaltet: mit `settings.engine.allow_shell = true` erlauben oder nur eine App, eine " +
      "Datei oder einen Link angeben",
  ],
  // The time limits of actions (engine/runner.py, engine/plugin_lanes.py)
  ["took longer than {s} s and was stopped", "dauerte länger als {s} s und wurde beendet"],
  ["took longer than {s} s and was abandoned", "dauerte länger als {s} s und wurde aufgegeben"],
  ["failed unexpectedly: {text}", "unerwarteter Fehler: {text}"],
  [
    "{n} actions are already waiting, so this action was dropped",
    "{n} Aktionen warten schon, daher wurde diese verworfen",
  ],
  [
    "{n} calls of `{name}` are already waiting, so this call was dropped",
    "{n} Aufrufe von `{name}` warten schon, daher wurde dieser verworfen",
  ],
  // MCP servers (mcp/client/)
  [
    "the MCP server {name} reported an error: {text}",
    "Der MCP-Server {name} meldete einen Fehler: {text}",
  ],
  [
    "no MCP server `{name}` is running; start it in the settings",
    "Kein MCP-Server `{name}` läuft; in den Einstellungen starten",
  ],
  ["the MCP server {name}: {text}", "Der MCP-Server {name}: {text}"],
  // Push to talk (domain/actions/push_to_talk.py)
  [
    "PushToTalk listens only while a control is held: use a trigger that is held, such as a pad " +
      "or a button",
    "Sprechen, solange gehalten, hört nur zu, solange ein Bedienelement gehalten wird: einen " +
      "Auslöser wählen, der gehalten wird, etwa ein Pad oder eine Taste",
  ],
  // Keyboard, mouse and volume (system/)
  [
    "no mouse button `{name}`: use left, middle or right",
    "Keine Maustaste `{name}`: left, middle oder right verwenden",
  ],
  [
    "this keyboard layout has no shift key: choose another layout",
    "Diese Tastaturbelegung hat keine Umschalttaste: eine andere wählen",
  ],
  [
    "the character U+{text} cannot be typed: remove it from the text",
    "Das Zeichen U+{text} lässt sich nicht eingeben: aus dem Text entfernen",
  ],
  [
    "the keyboard layout changed meanwhile: try again",
    "Die Tastaturbelegung hat sich inzwischen geändert: bitte erneut versuchen",
  ],
  [
    "the keyboard layout has no key left to borrow: release held keys",
    "In der Tastaturbelegung ist keine Taste frei: gehaltene Tasten loslassen",
  ],
  [
    "the virtual keyboard has no key left: release held keys",
    "Auf der virtuellen Tastatur ist keine Taste frei: gehaltene Tasten loslassen",
  ],
  [
    "the X display {name} cannot be reached ({text}): check that the desktop session is still " +
      "running and that DISPLAY and XAUTHORITY belong to it",
    "Das X-Display {name} ist nicht erreichbar ({text}): prüfen, ob die Desktopsitzung noch " +
      "läuft und DISPLAY und XAUTHORITY zu ihr gehören",
  ],
  [
    "the X server closed the connection: {text}",
    "Der X-Server hat die Verbindung geschlossen: {text}",
  ],
  [
    "this X server has no XTEST extension, so no keys or clicks can be sent: enable it or use " +
      "another server",
    "Dieser X-Server hat keine XTEST-Erweiterung, daher lassen sich keine Tasten oder Klicks " +
      "senden: sie einschalten oder einen anderen Server verwenden",
  ],
  [
    "this is not a Wayland session (WAYLAND_DISPLAY is not set)",
    "Dies ist keine Wayland-Sitzung (WAYLAND_DISPLAY ist nicht gesetzt)",
  ],
  [
    "the Wayland compositor at {name} cannot be reached ({text})",
    "Der Wayland-Compositor unter {name} ist nicht erreichbar ({text})",
  ],
  [
    "the Wayland compositor closed the connection: {text}",
    "Der Wayland-Compositor hat die Verbindung geschlossen: {text}",
  ],
  [
    "this compositor does not offer {name}, so the mouse cannot be moved",
    "Dieser Compositor bietet {name} nicht an, daher lässt sich die Maus nicht bewegen",
  ],
  [
    "this compositor does not offer {name}: use relative moves",
    "Dieser Compositor bietet {name} nicht an: relative Bewegungen verwenden",
  ],
  ["this compositor does not offer {name}", "Dieser Compositor bietet {name} nicht an"],
  [
    "the compositor does not allow a virtual keyboard ({text})",
    "Der Compositor erlaubt keine virtuelle Tastatur ({text})",
  ],
  ["the compositor has no screen", "Der Compositor hat keinen Bildschirm"],
  ["the session bus was closed ({text})", "Der Sitzungsbus wurde geschlossen ({text})"],
  [
    "the desktop is asking whether Conductor may press keys: allow it, then press again",
    "Der Desktop fragt, ob Conductor Tasten drücken darf: erlauben, dann erneut drücken",
  ],
  [
    "the mouse cannot be moved to a position on this desktop, which lets programs move it only " +
      "by a distance: use a relative move",
    "Auf diesem Desktop lässt sich die Maus nicht an eine Position bewegen, sondern nur um eine " +
      "Strecke: eine relative Bewegung verwenden",
  ],
  [
    "the mouse cannot be moved to a position through /dev/uinput, which does not know the " +
      "screens: use a relative move",
    "Über /dev/uinput, das die Bildschirme nicht kennt, lässt sich die Maus nicht an eine " +
      "Position bewegen: eine relative Bewegung verwenden",
  ],
  [
    "`{name}` is not on a US keyboard and cannot be pressed through /dev/uinput: run `conductor " +
      "doctor` for other input routes",
    "`{name}` gibt es auf einer US-Tastatur nicht und lässt sich über /dev/uinput nicht " +
      "drücken: `conductor doctor` zeigt andere Wege",
  ],
  ["{name} cannot be opened ({text})", "{name} lässt sich nicht öffnen ({text})"],
  [
    "{name} cannot create a keyboard ({text})",
    "Über {name} lässt sich keine Tastatur anlegen ({text})",
  ],
  ["{name} was closed ({text})", "{name} wurde geschlossen ({text})"],
  [
    "no volume operation `{name}`: use one of {text}",
    "Keine Lautstärke-Aktion `{name}`: eine von diesen verwenden: {text}",
  ],
  ["the sound server refused: {text}", "Der Soundserver lehnte ab: {text}"],
  [
    "no sound server responds: start PulseAudio or PipeWire (pipewire-pulse), or set PULSE_SERVER",
    "Kein Soundserver antwortet: PulseAudio oder PipeWire (pipewire-pulse) starten oder " +
      "PULSE_SERVER setzen",
  ],
  [
    "macOS does not let Conductor press keys: {reason}",
    "macOS lässt Conductor keine Tasten drücken: {reason}",
  ],
  [
    "turn Conductor on in System Settings > Privacy & Security > Accessibility",
    "Conductor in Systemeinstellungen > Datenschutz & Sicherheit > Bedienungshilfen einschalten",
  ],
  [
    "if it is on, remove it there and add it again",
    "falls es an ist, dort entfernen und neu hinzufügen",
  ],
  [
    "PyObjC is missing ({text}): install Conductor again",
    "PyObjC fehlt ({text}): Conductor neu installieren",
  ],
  [
    "{name} runs as administrator, and Windows discards the keys of ordinary programs for it: " +
      "start it without administrator rights, or start Conductor as administrator",
    "{name} läuft als Administrator, und Windows verwirft dafür die Tasten gewöhnlicher " +
      "Programme: ohne Administratorrechte starten oder Conductor als Administrator starten",
  ],
  [
    "no key of this keyboard layout types `{name}` alone: use a `Text` action",
    "Keine Taste dieser Belegung gibt `{name}` allein ein: eine Aktion `Text` verwenden",
  ],
  [
    "Windows did not accept the keys, because another program blocks input: try again",
    "Windows nahm die Tasten nicht an, weil ein anderes Programm Eingaben sperrt: bitte erneut " +
      "versuchen",
  ],
];
