/** German texts of `features/settings/explanations`. */
import type { strings } from "./strings";

export const german: typeof strings = {
  help: {
    "engine.cmd_key":
      "Die Taste, die „cmd“ drückt. Auto: die Befehlstaste unter macOS, sonst Strg.",
    "engine.allow_shell": "Shell-Aktionen dürfen ausgeführt werden. Aus: Sie schlagen fehl.",
    "engine.start_mode": "Der Modus, der beim Start von Conductor aktiv ist.",
    "engine.open_inputs":
      "Welche MIDI-Eingänge geöffnet werden: alle oder nur die mit einem eigenen Namen.",
    "engine.virtual_input":
      "Ein eigener MIDI-Eingang, an den andere Programme senden können, wo das System solche " +
      "Ports hat. Leer: keiner.",
    "engine.virtual_output":
      "Ein eigener MIDI-Ausgang, auf den andere Programme hören können. Leer: keiner.",
    "engine.osc_port": "Der UDP-Port für OSC. Leer: kein OSC.",
    "engine.osc_host": "Die Adresse, auf der OSC empfangen wird.",
    "engine.gamepads": "Tasten, Sticks und Trigger lassen sich zuweisen.",
    "engine.virtual_controller":
      "Der eingebaute Controller. Auto: wenn kein Gerät angeschlossen ist.",
    "engine.action_timeout_s": "Wie lange eine Aktion im Hintergrund höchstens dauern darf.",
    "engine.history_minutes": "So viele Eingaben werden für Pläne nachgespielt.",
    "engine.keep_recording": "Auch nach einem Neustart werden Pläne damit geprüft.",
    "ui.theme": "",
    "ui.language": "System: die Sprache des Systems oder Englisch.",
    "ui.close_to_tray": "Die Mappings bleiben aktiv, wenn das Fenster geschlossen ist.",
    "ui.start_at_login": "In der Statusleiste, ohne Fenster.",
    "ui.note_names": "Note 60. Geräte und Programme nennen sie verschieden.",
    "learn.timeout_ms": "Wie lange MIDI Learn zuhört.",
    "learn.long_press_ms": "Ein Druck von dieser Dauer wird als langer Druck vorgeschlagen.",
    "learn.double_tap_ms": "Zwei Drücke in dieser Zeit werden als Doppeltippen vorgeschlagen.",
    "learn.chord_ms": "Noten, die in dieser Zeit beginnen, werden als Akkord vorgeschlagen.",
    "voice.names":
      "Namen von Mappings und Modi werden auf diesem Computer erkannt, in englischer " +
      "Aussprache.",
    "voice.act_at_once":
      "Ein erkannter Name wird sofort ausgeführt. Aus: Er wird im Chat zu einem Plan.",
    "voice.transcription":
      "Wer alles andere in Text umwandelt: ein Modellanbieter, der die Aufnahme erhält, oder " +
      "ein eigener Server.",
    "voice.provider": "Der Name des Anbieters. Nicht gesetzt: der erste, der transkribieren kann.",
    "voice.server": "Die Adresse eines Servers mit der Transkriptions-API von OpenAI.",
    "voice.model": "Der Name des Modells beim Anbieter oder Server.",
    "voice.language": "Die gesprochene Sprache, z. B. de. Leer: Das Modell erkennt sie.",
    "voice.send":
      "Der erkannte Text geht sofort an den Assistenten. Aus: Er wartet im Eingabefeld.",
    "voice.microphone": "",
    "voice.limit_s":
      "Die längste Aufnahme in Sekunden; danach wird das Mikrofon geschlossen, auch wenn das " +
      "Bedienelement noch gehalten wird.",
    "llm.mcp.enabled":
      "Agenten anderer Programme haben Zugang. Aus: Sie werden abgewiesen; die Befehle von " +
      "conductor funktionieren weiter.",
    "llm.mcp.socket_path": "Der Pfad des Sockets. Nicht gesetzt: mcp.sock im Home-Ordner.",
    "llm.mcp.http_enabled": "Auch HTTP ist offen, nur auf diesem Computer.",
    "llm.mcp.http_port": "Der Port für HTTP.",
    "llm.mcp.auth_token_env": "Die Umgebungsvariable mit dem Token für HTTP.",
    "llm.mcp.remote_enabled":
      "Agenten auf anderen Computern können um Zugriff bitten. Über jeden wird im " +
      "Fenster oder am " +
      "Terminal entschieden, und die Verbindungen sind verschlüsselt.",
    "llm.mcp.remote_address":
      "Die Adresse, unter der Agenten diesen Computer erreichen, mit https und Port. " +
      "Leer: der Name " +
      "dieses Computers mit dem Port.",
    "llm.mcp.remote_host": "Die IP-Adresse dieses Computers für Agenten. 0.0.0.0: alle.",
    "llm.mcp.remote_port": "Der TCP-Port für Agenten auf anderen Computern.",
    "llm.mcp.remote_tls":
      "Conductor verschlüsselt diese Verbindungen selbst. Aus: nur hinter einem Programm auf " +
      "diesem Computer, das es tut, z. B. Caddy; die eigene IP-Adresse muss dann 127.0.0.1 sein.",
    "llm.mcp.remote_certificate":
      "Die Datei mit dem Zertifikat der Adresse, im Format PEM. Leer: Conductor erstellt eines.",
    "llm.mcp.remote_certificate_key":
      "Die Datei mit dem privaten Schlüssel des Zertifikats, im Format PEM ohne Passwort.",
    "llm.mcp.approval":
      "Wer eine Änderung freigeben darf: nur das Fenster oder ein Terminal, oder auch ein " +
      "Formular in einem der genannten Clients.",
    "llm.mcp.form_clients":
      "Clients, deren eigene Formulare harmlose Änderungen freigeben dürfen, jeweils als „name " +
      "at /pfad/des/programms“. Ein Client kann sein Formular selbst beantworten, also nur " +
      "Clients nennen, denen die Mappings anvertraut werden können.",
    "llm.mcp.read_only": "Nur Tools, die nichts ändern.",
    "llm.mcp.allowed_tools": "Nur diese Tools. Nicht gesetzt: alle.",
    "llm.mcp.denied_tools": "Niemals diese Tools.",
    "llm.mcp.toolsets": "Nur diese Gruppen von Tools. Nicht gesetzt: alle.",
    "llm.a2a.enabled":
      "Andere Agenten auf diesem Computer können Conductor über A2A Aufgaben geben.",
    "llm.a2a.http_port": "Der Port für A2A.",
    "llm.a2a.agent_name": "Der Name, unter dem Conductor sich anderen Agenten vorstellt.",
  },
};
