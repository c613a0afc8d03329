/** German texts of `forms/explanations`. */
import type { strings } from "./strings";

export const german: typeof strings = {
  kinds: {
    // Triggers
    Note:
      "Löst aus, wenn ein Pad oder eine Taste angeschlagen wird. Gibt es auch ein Halten, " +
      "Doppeltippen oder einen Akkord, wird diese Geste zuerst abgewartet.",
    VelocityRange:
      "Löst aus, wenn ein Pad oder eine Taste mit einer Stärke in einem Bereich angeschlagen " +
      "wird. Mehrere Bereiche unterscheiden leise und starke Anschläge.",
    LongPress:
      "Löst aus, wenn ein Bedienelement lange genug gehalten wurde. Ein kürzerer Druck ist ein " +
      "Tippen.",
    DoubleTap: "Löst beim zweiten von zwei schnellen Drücken aus.",
    NoteChord:
      "Löst aus, wenn mehrere Pads oder Tasten zusammen angeschlagen werden. Deren eigene " +
      "Mappings lösen dann nicht aus.",
    NoteRelease: "Löst aus, wenn ein Pad oder eine Taste losgelassen wird.",
    Aftertouch: "Löst aus, wenn der Druck auf ein Pad oder eine Taste in einen Bereich kommt.",
    CC:
      "Löst bei jedem Wert eines Drehreglers, Faders oder Knopfes aus, oder nur, wenn der Wert " +
      "in einen Bereich kommt.",
    EncoderTurn: "Löst bei jedem Schritt eines Endlosdrehreglers aus.",
    PitchBend: "Löst bei jeder Bewegung des Rads aus, oder nur, wenn es in einen Bereich kommt.",
    Nrpn:
      "Löst bei jedem Wert eines hochauflösenden Parameters aus, oder nur, wenn der Wert in " +
      "einen Bereich kommt.",
    ProgramChange: "Löst aus, wenn am Gerät ein Programm gewählt wird.",
    Sysex:
      "Löst bei einer systemexklusiven Nachricht aus. Zwei Fragezeichen stehen für ein " +
      "beliebiges Byte, ein Stern am Ende für einen beliebigen Rest.",
    OscMessage:
      "Löst bei jeder OSC-Nachricht an eine Adresse aus, oder nur, wenn ihre erste Zahl in einen " +
      "Bereich kommt.",
    GamepadButton: "Löst aus, wenn eine Gamepad-Taste gedrückt wird.",
    GamepadButtonChord:
      "Löst aus, wenn mehrere Gamepad-Tasten zusammen gedrückt werden. Deren eigene Mappings " +
      "lösen dann nicht aus.",
    GamepadAnalogStick:
      "Löst aus, wenn ein Stick weit genug bewegt wird, aber nicht auf dem Rückweg.",
    GamepadTrigger: "Löst aus, wenn ein Trigger weit genug gezogen wird.",

    // Actions
    Keystroke: "Drückt Tasten zusammen und lässt sie los.",
    Text: "Gibt einen Text im aktiven Fenster ein.",
    MouseClick: "Klickt mit einer Maustaste, am Zeiger oder an einer Position.",
    MouseMove: "Bewegt den Zeiger an eine Position oder um eine Strecke.",
    MouseScroll: "Scrollt nach oben, nach unten oder seitwärts.",
    Launch:
      "Öffnet eine App, eine Datei oder einen Link. Mit Argumenten gilt das als Shell-Befehl.",
    Shell:
      "Führt ein Programm mit Argumenten aus. Dazu müssen Shell-Befehle in den Einstellungen " +
      "erlaubt sein.",
    VolumeControl: "Ändert die Lautstärke des Computers.",
    Plugin: "Ruft ein Tool eines MCP-Servers auf.",
    PushToTalk:
      "Hört auf das Mikrofon, solange das Bedienelement gehalten wird. Das Gehörte kommt in den " +
      "Chat.",
    SendMidi: "Sendet eine MIDI-Nachricht an einen Ausgang.",
    MidiForward:
      "Gibt die Nachricht an einen Ausgang weiter, auf einem anderen Kanal, transponiert oder in " +
      "einem anderen Bereich.",
    OscSend: "Sendet eine OSC-Nachricht an eine App oder einen anderen Computer.",
    Led: "Beleuchtet ein Bedienelement in einer Farbe, die das Gerät anzeigen kann.",
    ModeChange:
      "Wechselt den Modus: dauerhaft, solange gehalten, hin und zurück oder zum nächsten oder " +
      "vorherigen.",
    Sequence: "Führt Aktionen nacheinander aus. Schlägt eine fehl, endet die Abfolge.",
    Delay: "Wartet vor der nächsten Aktion. Andere Mappings laufen währenddessen weiter.",
    Repeat:
      "Wiederholt eine Aktion eine Anzahl von Malen oder bis das Bedienelement losgelassen wird.",
    Conditional: "Führt eine Aktion aus, wenn eine Bedingung erfüllt ist, und sonst eine andere.",
    SetVariable: "Setzt eine Variable, die Bedingungen prüfen können.",

    // Conditions
    Always: "Ist immer erfüllt.",
    Never: "Ist nie erfüllt.",
    And: "Ist erfüllt, wenn alle diese Bedingungen erfüllt sind.",
    Or: "Ist erfüllt, wenn mindestens eine dieser Bedingungen erfüllt ist.",
    Not: "Ist erfüllt, wenn diese Bedingung nicht erfüllt ist.",
    ModeIs: "Ist in diesem Modus erfüllt.",
    AppFrontmost: "Ist erfüllt, solange diese App im Vordergrund ist.",
    TimeRange:
      "Ist zwischen diesen Uhrzeiten erfüllt. Ein Ende vor dem Beginn liegt am nächsten Tag.",
    DayOfWeek: "Ist an diesen Tagen erfüllt.",
    ControlHeld:
      "Ist erfüllt, solange ein anderes Bedienelement gehalten wird: ein Pad, eine Taste, ein " +
      "Pedal oder eine Gamepad-Taste.",
    VariableIs:
      "Vergleicht eine Variable mit einem Wert. Eine nie gesetzte Variable ist aus, 0 und leer.",

    // Curves
    PassThrough: "Der Wert des Bedienelements, unverändert.",
    Linear: "Eine gerade Linie zwischen zwei Werten.",
    Curve: "Eine gebogene Linie zwischen zwei Werten.",
    Fixed: "Immer derselbe Wert, egal wie stark das Pad angeschlagen wird.",
  },

  fields: {
    device: "Nur von diesem Gerät.",
    channel: "Nur auf diesem MIDI-Kanal.",
    when: "Nur solange alle diese Bedingungen erfüllt sind.",
    note: "",
    notes: "Zwei bis zehn Noten.",
    button: "",
    buttons: "Zwei bis zehn Tasten.",
    cc: "",
    port: "Ein Ausgang oder ein Gerät.",
    address: "",
    dead_zone: "Positionen so nah an der Mitte gelten als Mitte.",
    edge: "Die Richtung, die zählt.",
    direction: "Die Richtung, die zählt.",
    keep_order: "Andere Bedienelemente des Geräts warten, bis diese Geste entschieden ist.",
    fire_when_complete: "Löst mit dem letzten Druck aus statt am Ende der Zeit.",
    require_prior_idle_ms:
      "Wurde kürzer als so lange zuvor ein anderes Bedienelement gedrückt, gilt der Druck sofort " +
      "als Tippen.",
    condition: "",
    name: "",
    value: "",
    value_range: "Ohne Grenze zählt jeder Wert.",

    "VelocityRange.velocity_range": "Vom leisesten bis zum stärksten Anschlag, der zählt.",
    "Aftertouch.note": "Ohne Note zählt der Druck jeder Note und des ganzen Geräts.",
    "Aftertouch.pressure_range": "Ohne Grenze zählt jeder Druck.",
    "Aftertouch.hysteresis":
      "Wie weit der Druck den Bereich verlassen muss, bevor er wieder auslösen kann.",
    "PitchBend.value_range": "0 ist ganz unten, 8192 die Mitte, 16383 ganz oben.",
    "Nrpn.parameter": "Die Nummer des Parameters, von 0 bis 16383.",
    "Nrpn.registered": "Der Parameter ist ein registrierter (RPN).",
    "Note.velocity_min": "Der leiseste Anschlag, der zählt.",
    "LongPress.duration_ms": "Wie lange das Bedienelement gehalten werden muss.",
    "LongPress.quick_tap_ms":
      "Ein Druck, der so bald nach einem Tippen beginnt, gilt wieder als Tippen, so lange er " +
      "auch gehalten wird.",
    "LongPress.hold_on_other_press":
      "Wird ein anderes Bedienelement gedrückt, während dieses gedrückt ist, gilt es sofort als " +
      "gehalten.",
    "LongPress.permissive_hold":
      "Wird ein anderes Bedienelement gedrückt und losgelassen, während dieses gedrückt ist, " +
      "gilt es sofort als gehalten.",
    "DoubleTap.timeout_ms": "Die längste Zeit zwischen den beiden Drücken.",
    "NoteChord.timeout_ms": "Die längste Zeit zwischen dem ersten und dem letzten Anschlag.",
    "GamepadButtonChord.timeout_ms": "Die längste Zeit zwischen dem ersten und dem letzten Druck.",
    "EncoderTurn.encoding": "Wie der Drehregler eine Drehung sendet. Conductor kann es erkennen.",
    "ProgramChange.program": "Viele Geräte zählen ab 1: Ihre 1 ist hier 0.",
    "Sysex.pattern": "Paare von Hexadezimalziffern.",
    "OscMessage.value_min": "Die niedrigste Zahl, die zählt.",
    "OscMessage.value_max": "Die höchste Zahl, die zählt.",
    "GamepadAnalogStick.axis": "",
    "GamepadAnalogStick.threshold":
      "Wie weit der Stick bewegt werden muss. 0 löst bei jeder Bewegung aus.",
    "GamepadTrigger.trigger": "",
    "GamepadTrigger.threshold":
      "Wie weit der Trigger gezogen werden muss. 0 löst bei jeder Bewegung aus.",
    "GamepadTrigger.hysteresis":
      "Wie weit der Trigger zurückkommen muss, bevor er wieder auslösen kann.",

    "Keystroke.keys": "Auf dem Mac ist Cmd die Befehlstaste, sonst Strg.",
    "Keystroke.hold":
      "Sofort drücken und loslassen oder die Tasten gedrückt lassen, solange das Bedienelement " +
      "gehalten wird.",
    "Text.text": "",
    "MouseClick.count": "2 ist ein Doppelklick.",
    "MouseClick.x": "Die Position auf dem Bildschirm, von links. Leer: am Zeiger.",
    "MouseClick.y": "Die Position auf dem Bildschirm, von oben.",
    "MouseClick.button": "",
    "MouseMove.relative": "Um eine Strecke bewegen statt an eine Position.",
    "MouseMove.x": "Von links oder vom Zeiger nach rechts.",
    "MouseMove.y": "Von oben oder vom Zeiger nach unten.",
    "MouseScroll.dx": "Positiv ist nach rechts.",
    "MouseScroll.dy": "Positiv ist nach oben.",
    "Launch.app": "Der Name oder Pfad einer App, eine Datei oder ein Link.",
    "Launch.args": "Je ein Text. Dazu müssen Shell-Befehle in den Einstellungen erlaubt sein.",
    "Shell.argv": "Das Programm und seine Argumente, je ein Text.",
    "Shell.timeout_s": "Nach dieser Zeit wird das Programm beendet.",
    "VolumeControl.operation": "",
    "VolumeControl.value": "",
    "Plugin.server": "",
    "Plugin.tool": "",
    "Plugin.args": "Eine Zahl kann vom Bedienelement kommen.",
    "Plugin.timeout_s": "Die längste Zeit, die ein Aufruf dauern darf.",
    "Plugin.rate_per_s":
      "Darüber wird nur der neueste Wert eines Drehreglers oder Faders gesendet.",
    "SendMidi.message_type": "",
    "SendMidi.channel": "Der Kanal, auf dem die Nachricht gesendet wird.",
    "SendMidi.hold":
      "Solange gehalten: Die Note endet mit dem Loslassen. Sonst klingt sie, bis eine andere " +
      "Nachricht sie beendet.",
    "SendMidi.controller": "",
    "SendMidi.velocity": "",
    "SendMidi.program": "",
    "SendMidi.pitch": "0 ist die Mitte.",
    "SendMidi.pressure": "",
    "MidiForward.channel": "Beliebig: Der Kanal bleibt.",
    "MidiForward.transpose": "Für Noten.",
    "MidiForward.value": "Anschlagstärke, Wert oder Druck neu bestimmen, aus dem Bedienelement.",
    "OscSend.args": "Zahlen, Texte, ja oder nein oder der Wert des Bedienelements.",
    "OscSend.host": "Der Name oder die Adresse des Computers.",
    "OscSend.port": "Der Port, auf dem die App hört.",
    "Led.device": "Das Gerät, dessen Licht es ist.",
    "Led.control": "",
    "Led.color": "Der Name einer Farbe oder die Nummer, die das Gerät dafür hat.",
    "Led.set_up": "Zuerst senden, was das Gerät braucht, z. B. seinen Programmiermodus.",
    "ModeChange.behaviour": "",
    "ModeChange.mode": "",
    "Sequence.actions": "",
    "Delay.duration_ms": "",
    "Repeat.action": "",
    "Repeat.count": "Leer: bis das Bedienelement losgelassen wird.",
    "Repeat.delay_ms": "Die Pause zwischen zwei Wiederholungen.",
    "Repeat.until_release": "",
    "Conditional.condition": "Wird geprüft, wenn die Aktion beginnt.",
    "Conditional.then": "",
    "Conditional.else": "",
    "SetVariable.operation": "",

    "And.conditions": "",
    "Or.conditions": "",
    "AppFrontmost.app": "Das Programm oder ein Teil des Titels seines Fensters.",
    "ModeIs.mode": "",
    "TimeRange.start": "",
    "TimeRange.end": "",
    "DayOfWeek.days": "",
    "ControlHeld.device": "Nur an diesem Gerät.",
    "ControlHeld.cc": "Gilt ab der Mitte seines Bereichs als gehalten.",
    "VariableIs.operator": "",

    "FromControl.from": "Seine Position oder Stärke oder die Schritte eines Endlosdrehreglers.",
    "FromControl.min": "Das Ergebnis bei der niedrigsten Position.",
    "FromControl.max": "Das Ergebnis bei der höchsten Position.",
    "FromControl.invert": "Die niedrigste Position ergibt das höchste Ergebnis.",
    "FromControl.curve":
      "Wie das Ergebnis dem Bedienelement folgt. Die Punkte ziehen oder eine Form wählen.",
    "FromControl.decimals": "Stellen nach dem Komma.",
  },
};
