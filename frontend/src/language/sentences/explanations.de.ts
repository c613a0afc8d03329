/** German translations of explanations of gestures (tools/explained_events.py, engine/explain). */

export const explanations: readonly (readonly [english: string, german: string])[] = [
  // The event
  ["{event} in mode {text}:", "{event} im Modus {text}:"],
  ["{event} in mode {text} with profile {name}:", "{event} im Modus {text} mit Profil {name}:"],
  [
    "{event}, {ms} ms after the press, in mode {text}:",
    "{event}, {ms} ms nach dem Druck, im Modus {text}:",
  ],
  [
    "{event}, {ms} ms after the press, in mode {text} with profile {name}:",
    "{event}, {ms} ms nach dem Druck, im Modus {text} mit Profil {name}:",
  ],
  ["{event}, {ms} ms later, in mode {text}:", "{event}, {ms} ms später, im Modus {text}:"],
  [
    "{event}, {ms} ms later, in mode {text} with profile {name}:",
    "{event}, {ms} ms später, im Modus {text} mit Profil {name}:",
  ],
  [
    "note {text} ch {n} velocity {count} on {device}",
    "Note {text} Kanal {n} Anschlagstärke {count} an {device}",
  ],
  ["note {text} velocity {count} on {device}", "Note {text} Anschlagstärke {count} an {device}"],
  ["note {text} ch {n} up on {device}", "Note {text} Kanal {n} losgelassen an {device}"],
  ["note {text} up on {device}", "Note {text} losgelassen an {device}"],
  ["button {text} down on {device}", "Taste {text} gedrückt an {device}"],
  ["button {text} up on {device}", "Taste {text} losgelassen an {device}"],
  ["pressure of note {n} = {count}", "Druck von Note {n} = {count}"],
  ["note {n} and note {count}", "Note {n} und Note {count}"],
  ["Pressure of {control} from {low}", "Druck von {control} ab {low}"],
  [
    "{trigger} (not within {ms} ms of a tap, after {n} ms of quiet)",
    "{trigger} (nicht innerhalb von {ms} ms nach einem Tippen, nach {n} ms Ruhe)",
  ],

  // What a mapping did
  ["To change that: {reason}", "Abhilfe: {reason}"],
  ["{what}, but failed: {reason}", "{what}, schlug aber fehl: {reason}"],
  [
    "{what}, but was stopped before it did anything",
    "{what}, wurde aber beendet, bevor etwas geschah",
  ],
  ["`{mapping}` did hold {action} ({reason})", "`{mapping}` bewirkte: {action} halten ({reason})"],
  ["did hold {action} ({reason})", "bewirkte: {action} halten ({reason})"],
  ["{action} and {n} more", "{action} und {n} weitere"],
  ["it waits first and then continues", "es wartet zuerst und läuft dann weiter"],
  ["it decided for the hold `{mapping}`", "damit war das Halten `{mapping}` entschieden"],
  [
    "the press of {control} waited {ms} ms for the gesture of {control2}",
    "der Druck von {control} wartete {ms} ms auf die Geste von {control2}",
  ],
  [
    "the release of {control} waited {ms} ms for the gesture of {control2}",
    "das Loslassen von {control} wartete {ms} ms auf die Geste von {control2}",
  ],
  [
    "{control} waited {ms} ms for the gesture of {control2}",
    "{control} wartete {ms} ms auf die Geste von {control2}",
  ],

  // What is not decided yet
  ["`{mapping}` waits, {ms} ms left: {reason}", "`{mapping}` wartet, noch {ms} ms: {reason}"],
  ["`{mapping}` waits, {ms} ms left", "`{mapping}` wartet, noch {ms} ms"],
  [
    "`{mapping}` acts when the control is released",
    "`{mapping}` löst beim Loslassen des Bedienelements aus",
  ],
  ["`{mapping}`: the release {reason}", "`{mapping}`: das Loslassen {reason}"],
  [
    "hold it {ms} ms longer, or press another control",
    "{ms} ms länger halten oder ein anderes Bedienelement drücken",
  ],
  [
    "hold it {ms} ms longer, or tap another control",
    "{ms} ms länger halten oder ein anderes Bedienelement antippen",
  ],

  // Why a mapping did not fire
  ["everything was released", "alles wurde losgelassen"],
  ["the config was loaded", "die Konfiguration wurde geladen"],
  ["its device was muted", "sein Gerät wurde stummgeschaltet"],
  ["its device was disconnected", "sein Gerät wurde getrennt"],
  ["queued events were dropped", "wartende Ereignisse wurden verworfen"],
  ["it was dropped while queued: {reason}", "es wurde verworfen, während es wartete: {reason}"],
  [
    "no mapping listens to this control, and {reason}",
    "kein Mapping hört auf dieses Bedienelement, und {reason}",
  ],
  ["besides, {reason}", "außerdem: {reason}"],
  ["and {reason}", "und {reason}"],
  [
    "it listens to channel {n}, and this has no channel",
    "es hört auf Kanal {n}, dies hat keinen Kanal",
  ],
  [
    "`{mapping}` did not fire: {reason}, which has no alias",
    "`{mapping}` löste nicht aus: {reason}, ohne eigenen Namen",
  ],
  [
    "{control} was pressed and released while it was down",
    "{control} wurde gedrückt und losgelassen, während es gedrückt war",
  ],
  ["the long press", "der lange Druck"],
  ["the double tap", "das Doppeltippen"],
  ["the chord", "der Akkord"],
  ["{n} is outside {low} and up", "{n} ist kleiner als {low}"],
  ["{n} is outside up to {high}", "{n} ist größer als {high}"],
  [
    "{n} stays inside {low} and up: it fires on crossing",
    "{n} bleibt bei {low} oder mehr: ausgelöst wird beim Überschreiten",
  ],
  [
    "{n} stays inside up to {high}: it fires on crossing",
    "{n} bleibt bei {high} oder weniger: ausgelöst wird beim Überschreiten",
  ],
  ["{n} entered {low} and up", "{n} erreichte {low} oder mehr"],
  ["{n} entered up to {high}", "{n} erreichte {high} oder weniger"],
  ["{n} entered {low}-{high}", "{n} kam in {low}-{high}"],
  ["{n} fell below {low}", "{n} fiel unter {low}"],
  ["{n} rose over {high}", "{n} stieg über {high}"],
  ["{n} is not a fall below {low}", "{n} ist kein Fallen unter {low}"],
  ["{n} is not a rise over {high}", "{n} ist kein Steigen über {high}"],
  ["{n} after {count}: only rising values fire", "{n} nach {count}: nur steigende Werte lösen aus"],
  ["{n} after {count}: only falling values fire", "{n} nach {count}: nur fallende Werte lösen aus"],
  [
    "first value {n}: `auto` needs a second value to detect the coding",
    "erster Wert {n}: `auto` erkennt die Kodierung erst am zweiten Wert",
  ],
  ["{n} is not a turn ({text})", "{n} ist keine Drehung ({text})"],
  [
    "turned clockwise, but only counter_clockwise turns fire ({text})",
    "nach rechts gedreht, aber nur Drehungen nach links lösen aus ({text})",
  ],
  [
    "turned counter_clockwise, but only clockwise turns fire ({text})",
    "nach links gedreht, aber nur Drehungen nach rechts lösen aus ({text})",
  ],
  ["{n} is in the dead zone", "{n} ist in der Totzone"],
  ["{n} is out of the dead zone", "{n} ist außerhalb der Totzone"],
  ["{n} is not a push in the positive direction", "{n} ist kein Drücken in die positive Richtung"],
  ["{n} is not a push in the negative direction", "{n} ist kein Drücken in die negative Richtung"],
  ["{n} crossed {count}", "{n} überschritt {count}"],
  ["{n} has not come back from {count}", "{n} ist noch nicht von {count} zurück"],
  [
    "pressure {n} has not left {low}-{high} by {count}",
    "Druck {n} hat {low}-{high} nicht um {count} verlassen",
  ],
  ["the message matches `{text}`", "die Nachricht passt zu `{text}`"],
  ["the message does not match `{text}`", "die Nachricht passt nicht zu `{text}`"],

  // Conditions (domain/conditions.py, domain/condition_facts.py)
  ["condition not met: {reason}, and {reason2}", "Bedingung nicht erfüllt ({reason}): {reason2}"],
  [
    "{what}, but its condition was not met: {reason}, and {reason2}, so nothing was done",
    "{what}, aber die Bedingung war nicht erfüllt ({reason}): {reason2}, daher geschah nichts",
  ],
  [
    "its condition was not met: {reason}, and {reason2}, so that part was not done",
    "die Bedingung war nicht erfüllt ({reason}): {reason2}, daher fiel dieser Teil weg",
  ],
  ["never", "nie"],
  ["mode is {text}", "Modus ist {text}"],
  ["app in front is {text}", "App im Vordergrund ist {text}"],
  ["time is {text}", "Uhrzeit ist {text}"],
  ["the mode was {text}", "der Modus war {text}"],
  ["the app in front was {text}", "die App im Vordergrund war {text}"],
  ["it was {low}:{high}", "es war {low}:{high} Uhr"],
  ["{name} was never set", "{name} war nie gesetzt"],
  ["`{text}` never holds", "`{text}` gilt nie"],
  ["leave mode {text}", "den Modus {text} verlassen"],
  ["play it between {text} and {name}", "zwischen {text} und {name} spielen"],
  ["play it outside of {text}", "außerhalb von {text} spielen"],
  ["set {name} so that {text}", "{name} so setzen: {text}"],
  ["hold {control} while you play it", "beim Spielen {control} halten"],
  ["release {control} first", "zuerst {control} loslassen"],
  [
    "take the condition `{text}` out of the mapping",
    "die Bedingung `{text}` aus dem Mapping entfernen",
  ],

  // What makes a mapping fire (engine/explain/remedies.py)
  [
    "press notes {n} and {count} within {ms} ms of each other",
    "die Noten {n} und {count} innerhalb von {ms} ms drücken",
  ],
  [
    "press notes {n} and {count} and {low} within {ms} ms of each other",
    "die Noten {n}, {count} und {low} innerhalb von {ms} ms drücken",
  ],
  [
    "press buttons {text} and {name} within {ms} ms of each other",
    "die Tasten {text} und {name} innerhalb von {ms} ms drücken",
  ],
  [
    "press it {ms} ms or more after any other control",
    "{ms} ms oder länger nach jedem anderen Bedienelement drücken",
  ],
  [
    "wait {ms} ms after the tap before you press it again",
    "nach dem Tippen {ms} ms warten und dann wieder drücken",
  ],
  [
    "release it before you press another control",
    "loslassen, bevor ein anderes Bedienelement gedrückt wird",
  ],
  [
    "play it without the other controls of the chord",
    "ohne die anderen Bedienelemente des Akkords spielen",
  ],
  ["strike it with a velocity of {low} or more", "mit Anschlagstärke {low} oder mehr anschlagen"],
  [
    "strike it with a velocity of {low} to {high}",
    "mit Anschlagstärke {low} bis {high} anschlagen",
  ],
  ["move it to {low} or more", "auf {low} oder mehr bewegen"],
  ["move it to {high} or less", "auf {high} oder weniger bewegen"],
  ["move it to {low} to {high}", "auf {low} bis {high} bewegen"],
  ["press with {low} or more", "mit {low} oder mehr drücken"],
  ["press with {high} or less", "mit {high} oder weniger drücken"],
  ["press with {low} to {high}", "mit {low} bis {high} drücken"],
  ["leave {low} or more and come back into it", "unter {low} gehen und zurückkommen"],
  ["leave {high} or less and come back into it", "über {high} gehen und zurückkommen"],
  [
    "leave {low} to {high} and come back into it",
    "den Bereich {low} bis {high} verlassen und zurückkommen",
  ],
  ["bring it up past {n} from below", "von unten über {n} bewegen"],
  ["bring it down past {n} from above", "von oben unter {n} bewegen"],
  ["ease off by more than {n} and press again", "um mehr als {n} nachlassen und wieder drücken"],
  [
    "let it come back first, then cross the threshold again",
    "erst zurückkommen lassen, dann die Schwelle noch einmal überschreiten",
  ],
  ["move it once more", "noch einmal bewegen"],
  ["move it up", "nach oben bewegen"],
  ["move it down", "nach unten bewegen"],
  ["move it further, out of the dead zone", "weiter bewegen, aus der Totzone heraus"],
  ["turn it clockwise", "nach rechts drehen"],
  ["turn it counter-clockwise", "nach links drehen"],
  ["push it past {n}", "über {n} hinaus drücken"],
  ["push it right or up", "nach rechts oder oben drücken"],
  ["push it left or down", "nach links oder unten drücken"],
  ["push it further", "weiter drücken"],
  ["pull it past {n}", "über {n} hinaus ziehen"],
  ["send a message that matches `{text}`", "eine Nachricht senden, die zu `{text}` passt"],
  ["remove the channel from the mapping", "den Kanal aus dem Mapping entfernen"],
  [
    "move profile {text} before profile {name}, which fits this app too",
    "das Profil {text} vor das Profil {name} schieben, das auch zu dieser App passt",
  ],
];
