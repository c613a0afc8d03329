/** German translations of errors: of actions that fail, and of commands that the page calls. */

export const errors: readonly (readonly [english: string, german: string])[] = [
  // Programs and apps (system/programs.py, system/children.py, system/installed.py)
  [
    "no program, app, file or URL `{name}`: check the spelling, or give its full path",
    "Kein Programm, keine App, Datei oder URL `{name}`: die Schreibweise prüfen oder den " +
      "vollständigen Pfad angeben",
  ],
  [
    "no program `{name}`: check the spelling, or give its full path",
    "Kein Programm `{name}`: die Schreibweise prüfen oder den vollständigen Pfad angeben",
  ],
  [
    "`{name}` is not executable: run chmod +x on it",
    "`{name}` ist nicht ausführbar: chmod +x darauf anwenden",
  ],
  ["`{name}` cannot be started: {text}", "`{name}` lässt sich nicht starten: {text}"],
  [
    "`{name}` is opened by another app, which takes no arguments: remove them",
    "`{name}` wird von einer anderen App geöffnet, die keine Argumente annimmt: sie entfernen",
  ],
  [
    "no app is set up to open `{name}` links: install one, or choose it in the system settings",
    "Für `{name}`-Links ist keine App eingerichtet: eine installieren oder in den " +
      "Systemeinstellungen wählen",
  ],
  [
    "no app is set up to open `{name}`: install one, or choose it in the system settings",
    "Zum Öffnen von `{name}` ist keine App eingerichtet: eine installieren oder in den " +
      "Systemeinstellungen wählen",
  ],
  ["`{name}` cannot be opened: {text}", "`{name}` lässt sich nicht öffnen: {text}"],
  [
    "`{name}` needs an opener: install xdg-utils (xdg-open)",
    "`{name}` braucht ein Programm zum Öffnen: xdg-utils (xdg-open) installieren",
  ],
  [
    "`{name}` was stopped after {s} s: increase timeout_s if it needs more time",
    "`{name}` wurde nach {s} s beendet: timeout_s erhöhen, falls es mehr Zeit braucht",
  ],
  ["`{name}` was stopped", "`{name}` wurde beendet"],
  // Keyboard, mouse and volume (system/)
  [
    "the key `{name}` cannot be pressed on this system: choose another",
    "Die Taste `{name}` lässt sich auf diesem System nicht drücken: eine andere wählen",
  ],
  [
    "`fn` works inside the keyboard itself and cannot be sent: remove it",
    "`fn` wirkt in der Tastatur selbst und lässt sich nicht senden: die Taste entfernen",
  ],
  [
    "Conductor is still looking for a way to press keys: try again",
    "Conductor sucht noch nach einem Weg, Tasten zu drücken: bitte erneut versuchen",
  ],
  [
    "the X server does not respond: is the desktop session frozen?",
    "Der X-Server antwortet nicht: ist die Desktop-Sitzung eingefroren?",
  ],
  [
    "the Wayland compositor does not respond: is the desktop session frozen?",
    "Der Wayland-Compositor antwortet nicht: ist die Desktop-Sitzung eingefroren?",
  ],
  [
    "you did not allow Conductor to use this device",
    "Conductor darf dieses Gerät nicht verwenden, weil die Frage danach abgelehnt wurde",
  ],
  [
    "there is no sound output: connect one, or choose one in the sound settings",
    "Es gibt keine Tonausgabe: eine anschließen oder in den Klangeinstellungen wählen",
  ],
  [
    "the volume of this output cannot be changed: choose another output in Sound settings",
    "Die Lautstärke dieser Ausgabe lässt sich nicht ändern: in den Klangeinstellungen eine " +
      "andere wählen",
  ],
  ["the volume cannot be changed: {text}", "Die Lautstärke lässt sich nicht ändern: {text}"],
  [
    "libpulse is missing: install it (Debian: libpulse0)",
    "libpulse fehlt: installieren (Debian: libpulse0)",
  ],
  // MIDI and OSC (devices/, system/osc_out.py)
  [
    "MIDI output `{name}` is being opened; try again",
    "Der MIDI-Ausgang `{name}` wird gerade geöffnet; bitte erneut versuchen",
  ],
  [
    "this control sends no MIDI message that could be forwarded",
    "Dieses Bedienelement sendet keine MIDI-Nachricht, die weitergeleitet werden könnte",
  ],
  [
    "no host `{name}`: check the spelling, or use its IP address",
    "Kein Host `{name}`: die Schreibweise prüfen oder die IP-Adresse verwenden",
  ],
  [
    "the host `{name}` is still being looked up: try again",
    "Der Host `{name}` wird noch gesucht: bitte erneut versuchen",
  ],
  // Voice (voice/, llm/transcriber.py)
  [
    "Push-to-talk failed unexpectedly ({text}): try again. If it fails again, report it with the " +
      "log.",
    "Push-to-talk ist unerwartet fehlgeschlagen ({text}): erneut versuchen. Wenn es wieder " +
      "geschieht, mit dem Protokoll melden.",
  ],
  [
    "Recording needs the package SoundCard: install Conductor again, or `pip install SoundCard`.",
    "Die Aufnahme braucht das Paket SoundCard: Conductor neu installieren oder `pip install " +
      "SoundCard`.",
  ],
  ["Recording cannot be started: {text}", "Die Aufnahme lässt sich nicht starten: {text}"],
  [
    "No provider is called `{name}`: change the provider in Settings > Voice, or add it in " +
      "Settings > Providers.",
    "Kein Anbieter heißt `{name}`: in Einstellungen > Spracheingabe einen anderen wählen oder " +
      "ihn in " +
      "Einstellungen > Anbieter hinzufügen.",
  ],
  [
    "{name} does not transcribe speech: choose a provider with OpenAI's transcription API or a " +
      "local server in Settings > Voice.",
    "{name} kann keine Sprache transkribieren: in Einstellungen > Spracheingabe einen " +
      "Anbieter mit OpenAIs Transkriptions-API oder einen lokalen Server wählen.",
  ],
  [
    "{name} is switched off or has no key: change that in Settings > Providers.",
    "{name} ist ausgeschaltet oder hat keinen Schlüssel: das in Einstellungen > Anbieter ändern.",
  ],
  [
    "Speech is not sent to a provider while `llm.enabled` is false: switch it on, or name a " +
      "local server in Settings > Voice.",
    "Solange `llm.enabled` aus ist, wird Gesprochenes an keinen Anbieter gesendet: einschalten " +
      "oder in Einstellungen > Spracheingabe einen lokalen Server angeben.",
  ],
  [
    "No server is set: enter its address in Settings > Voice, such as {text}.",
    "Kein Server angegeben: in Einstellungen > Spracheingabe seine Adresse eintragen, etwa {text}.",
  ],
  // The config and its history (config/, bridge/commands/)
  [
    "{name} changed since it was read; read it again and repeat",
    "{name} hat sich inzwischen geändert; neu laden und wiederholen",
  ],
  [
    "{name} on disk has a mistake ({text}); fix it or undo it first",
    "{name} auf der Festplatte hat einen Fehler ({text}); zuerst beheben oder rückgängig machen",
  ],
  [
    "version {n} is no longer in the history; choose another version",
    "Version {n} ist nicht mehr im Verlauf; eine andere wählen",
  ],
  [
    "the mapping is the same in the running config; nothing to restore",
    "Das Mapping ist in der laufenden Konfiguration dasselbe; nichts wiederherzustellen",
  ],
  ["restored the version of {text}", "Version vom {text} wiederhergestellt"],
  ["restored a mapping of {what}", "Ein Mapping von {what} wiederhergestellt"],
  ["restored the backup of {text}", "Sicherung vom {text} wiederhergestellt"],
  [
    "the event is not in the history; play something and try again",
    "Das Ereignis ist nicht mehr aufgezeichnet; etwas spielen und erneut versuchen",
  ],
  // Backups (bridge/backup.py)
  [
    "this file is not a backup of Conductor; choose one that *Save a backup* has written, such " +
      "as conductor-backup-2026-01-31.json",
    "Diese Datei ist keine Sicherung von Conductor; eine wählen, die *Sicherung speichern* " +
      "geschrieben hat, etwa conductor-backup-2026-01-31.json",
  ],
  [
    "this backup was made by a newer version of Conductor; update Conductor, then restore it",
    "Diese Sicherung stammt von einer neueren Version von Conductor; zuerst Conductor " +
      "aktualisieren",
  ],
  [
    "the backup is damaged: `{name}` is missing or not valid; choose another backup",
    "Die Sicherung ist beschädigt: `{name}` fehlt oder ist ungültig; eine andere wählen",
  ],
  [
    "the config was restored, but a device profile could not be written to {name}: {text}; make " +
      "room or change the permissions, then restore the backup again",
    "Die Konfiguration ist wiederhergestellt, aber ein Geräteprofil ließ sich nicht nach {name} " +
      "schreiben: {text}; Platz schaffen oder die Rechte ändern, dann die Sicherung noch einmal " +
      "wiederherstellen",
  ],
  // Keys (storage/keys.py, storage/keys_file.py)
  [
    "this is not a key: paste all of it, on one line and without spaces",
    "Das ist kein Schlüssel: den ganzen einfügen, in einer Zeile und ohne Leerzeichen",
  ],
  [
    "the passphrase is too short: use at least {n} characters",
    "Die Passphrase ist zu kurz: mindestens {n} Zeichen verwenden",
  ],
  [
    "wrong passphrase for keys.enc; try again",
    "Falsche Passphrase für keys.enc; bitte erneut versuchen",
  ],
  ["{name} is locked; enter its passphrase first", "{name} ist gesperrt; zuerst entsperren"],
  [
    "This computer has no working keychain. Choose a passphrase to keep keys in an encrypted " +
      "file, or name an environment variable that holds the key.",
    "Dieser Computer hat keinen funktionierenden Schlüsselbund. Eine Passphrase wählen, um " +
      "Schlüssel in einer verschlüsselten Datei aufzubewahren, oder eine Umgebungsvariable " +
      "angeben, die den Schlüssel enthält.",
  ],
  ["Keys are kept in the keychain of this computer.", "Schlüssel liegen im Schlüsselbund."],
  [
    "Keys are kept in an encrypted file; your passphrase is needed once after each start.",
    "Schlüssel liegen in einer verschlüsselten Datei; die Passphrase ist nach jedem Start einmal " +
      "nötig.",
  ],
  [
    "The keychain of this computer is locked. Unlock it, or choose a passphrase and keep keys in " +
      "an encrypted file.",
    "Der Schlüsselbund ist gesperrt. Ihn entsperren oder eine Passphrase wählen und Schlüssel in " +
      "einer verschlüsselten Datei aufbewahren.",
  ],
  [
    "Keys are in an encrypted file. Enter its passphrase to use them.",
    "Schlüssel liegen in einer verschlüsselten Datei. Zum Verwenden ihre Passphrase eingeben.",
  ],
  [
    "The encrypted file with your keys is damaged. Restore a copy of it, or start over.",
    "Die verschlüsselte Datei mit den Schlüsseln ist beschädigt. Eine Kopie " +
      "wiederherstellen oder neu beginnen.",
  ],
  [
    "keys are kept in the keychain of this computer; no passphrase is needed",
    "Schlüssel liegen im Schlüsselbund dieses Computers; keine Passphrase nötig",
  ],
  // The app in front (system/foreground_x11.py)
  [
    "no window manager reports the active window: start one",
    "Kein Fenstermanager meldet das aktive Fenster: einen starten",
  ],
  // The groups of the assistant's tools (domain/settings.py)
  [
    "Tools that need no access: calculator, notes, tasks, memory.",
    "Tools, die keinen Zugriff brauchen: Rechner, Notizen, Aufgaben, Gedächtnis.",
  ],
  [
    "Tools that need more of this computer: files of folders that you grant, code in a sandbox.",
    "Tools, die mehr von diesem Computer brauchen: Dateien freigegebener Ordner, Code in einer " +
      "Sandbox.",
  ],
  [
    "Tools that use the internet: web search, web pages.",
    "Tools, die das Internet nutzen: Websuche, Webseiten.",
  ],
  [
    "Tools of other programs and services: tools of MCP servers.",
    "Tools anderer Programme und Dienste: Tools von MCP-Servern.",
  ],
  // Folders, skills and MCP servers (bridge/commands/abilities.py, mcp/)
  [
    "{name} is not a folder on this computer; check the path",
    "{name} ist kein Ordner auf diesem Computer; den Pfad prüfen",
  ],
  [
    "{name} is not an absolute path; begin it with the root or with ~",
    "{name} ist kein absoluter Pfad; ihn mit der Wurzel oder mit ~ beginnen",
  ],
  [
    "access to the whole disk is not possible; choose a smaller folder",
    "Der Zugriff auf die ganze Festplatte ist nicht möglich; einen kleineren Ordner wählen",
  ],
  [
    "{name} contains Conductor's own data; choose another folder",
    "{name} enthält Conductors eigene Daten; einen anderen Ordner wählen",
  ],
  [
    "the MCP server {name} did not answer within {s} s; try again, or restart it",
    "Der MCP-Server {name} hat nicht innerhalb von {s} s geantwortet; erneut versuchen oder ihn " +
      "neu starten",
  ],
  [
    "this MCP server is not running; start it in Settings > MCP servers",
    "Dieser MCP-Server läuft nicht; ihn in Einstellungen > MCP-Server starten",
  ],
  [
    "{name} has changed since you reviewed it; review it again",
    "{name} hat sich seit der Prüfung geändert; bitte erneut prüfen",
  ],
  ["{name} is switched off; switch it on first", "{name} ist ausgeschaltet; zuerst einschalten"],
  [
    "a server called {name} already exists; remove it first",
    "Ein Server namens {name} existiert schon; ihn zuerst entfernen",
  ],
  // Plans (config/plan_rules.py, config/plans.py)
  [
    "plan {name} expired at {text} UTC; propose it again",
    "Der Plan {name} ist um {text} UTC abgelaufen; neu vorschlagen",
  ],
  ["plan {name} was already used; propose it again", "Der Plan {name} wurde schon verwendet"],
  [
    "the plan has no such changes; read the plan again",
    "Der Plan hat diese Änderungen nicht; ihn neu laden",
  ],
  // Device profiles (profiles/)
  [
    "nothing was played; press a pad or turn a knob, then try again",
    "Es wurde nichts gespielt; ein Pad drücken oder einen Knopf drehen, dann erneut versuchen",
  ],
  ["{name} is not a valid device profile:", "{name} ist kein gültiges Geräteprofil:"],
  [
    "no X display: start Conductor from a desktop session, or set DISPLAY (for example :0)",
    "kein X-Display: Conductor in einer Desktopsitzung starten oder DISPLAY setzen " +
      "(zum Beispiel :0)",
  ],
  [
    "no sound server responds: start PulseAudio or PipeWire (pipewire-pulse), or set PULSE_SERVER",
    "kein Klangserver antwortet: PulseAudio oder PipeWire (pipewire-pulse) starten oder " +
      "PULSE_SERVER setzen",
  ],
  [
    "ALSA MIDI is not available: there is no {name}. Load the kernel module with `{text}`",
    "ALSA-MIDI ist nicht verfügbar: {name} fehlt. Das Kernelmodul mit `{text}` laden",
  ],
  [
    "No JACK server is running; Conductor uses JACK as soon as a server starts",
    "Es läuft kein JACK-Server; Conductor nutzt JACK, sobald einer startet",
  ],
  [
    "there is no MCP server called {text}; add it in Settings > MCP servers",
    "es gibt keinen MCP-Server namens {text}; unter Einstellungen > MCP-Server hinzufügen",
  ],
];
