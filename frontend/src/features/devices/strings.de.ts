/** German texts of `features/devices`. */
import type { strings } from "./strings";

export const german: typeof strings = {
  // DevicePanel.svelte
  deviceNeedsName: "Ein Gerät braucht einen Namen.",
  anotherDeviceHasThisName: "Ein anderes Gerät hat diesen Namen.",
  nameCannotContainColon: "Ein Name darf keinen Doppelpunkt enthalten.",
  device: (title) => `Gerät ${title}`,
  connected: "Verbunden",
  problem: "Problem",
  notConnected: "Nicht verbunden",
  muted: "Stumm",
  on: "Ein",
  unitOf: (unit, equal) => ` · ${unit} von ${equal} gleichen Geräten`,
  test: "Testen",
  playToTest: "Etwas daran drücken oder drehen: Das Bild leuchtet auf.",
  connectToPlay: "Anschließen, dann leuchtet das Bild beim Spielen auf.",
  ownMappings: (count) =>
    count === 1 ? "1 Mapping dieses Geräts" : `${count} Mappings dieses Geräts`,
  mutedHint: "Stumm bis zum nächsten Start: Es löst nichts aus.",
  name: "Name",
  renameHint: "Mappings, die den Namen verwenden, werden angepasst.",
  note: "Notiz",
  noteForYourself: "Eine eigene Notiz",
  swapWithIdenticalDevice: "Mit gleichem Gerät tauschen",
  removeName: "Namen entfernen",
  noNameHint:
    "Ohne Namen spielt das Gerät die Mappings für beliebige Geräte. Mit einem Namen kann es " +
    "eigene Mappings haben, an welchem Port es auch angeschlossen ist.",
  nameDevice: "Gerät benennen",
  virtualControllerHint: (id) =>
    `Der eingebaute Controller, der mit der Maus gespielt wird. In config.toml heißt er „${id}“.`,
  cheatSheet: "Spickzettel",
  whenShown: "In den Einstellungen ein- oder ausblenden",

  // BatteryBadge.svelte
  batteryLevels: {
    empty: "Akku leer",
    low: "Akku schwach",
    medium: "Akku mittel",
    full: "Akku voll",
    wired: "Strom über Kabel",
  },

  // DeviceRow.svelte
  unitSuffix: (unit, equal) => ` · Exemplar ${unit} von ${equal}`,
  noName: "Kein Name",

  // MakeProfile.svelte
  makeProfileByPlaying: "Profil durch Spielen erstellen",
  makeProfileHint:
    "Die Mappings sind währenddessen angehalten. Schritte überspringen, für die es nichts zu " +
    "spielen gibt.",
  steps: "Schritte",
  startingToListen: "Gleich bereit …",
  checkPictureHint:
    "Stimmt das Bild mit dem Gerät überein? Wo Reihen zu lang oder zu kurz sind, die Spalten " +
    "anpassen, dann das Profil speichern.",
  nothingPlayed: "Noch keine Eingabe.",
  playedControls: "Gespielte Bedienelemente",
  columnsOf: (group) => `Spalten von ${group}`,
  profileNameHint: "Hersteller und Modell, z. B. Acme Grid 16.",
  cancel: "Abbrechen",
  playAnotherBank: "Weitere Bank spielen",
  saveProfile: "Profil speichern",
  next: "Weiter",

  // Matchers.svelte
  matchersTitle: "Woran Conductor es erkennt",
  oneMatchEnough: "ein Treffer genügt",
  matches: "Passt",
  checkedWhenConnected: "Wird geprüft, wenn das Gerät verbunden ist",
  doesNotMatch: "Passt nicht",
  changeMatcher: (matcher) => `Ändern: ${matcher}`,
  deleteMatcher: (matcher) => `Löschen: ${matcher}`,
  addAnotherWay: "Weitere Regel hinzufügen",
  matcherQuestion: "Woran soll Conductor es erkennen?",
  matcher: "Regel",
  save: "Speichern",

  // NameDialog.svelte
  nameHint: "Mappings verwenden diesen Namen, an welchem Port das Gerät auch angeschlossen ist.",
  shortNameHint: "Am besten kurz: Pads, Links, Pedale.",
  identicalDeviceCount: (count) => `Es gibt ${count} gleiche Geräte.`,
  pressControlHint: "An dem Gerät, das benannt werden soll, ein Bedienelement drücken.",
  identicalDevices: "Gleiche Geräte",
  unitNumber: (unit) => `Exemplar ${unit}`,
  selected: "Ausgewählt",
  recognisedAs: (matcher) =>
    `Conductor erkennt es daran: Es ${matcher}. Das lässt sich später ändern.`,
  saveName: "Namen speichern",

  // ProfileCard.svelte
  namedByProfile: (port, alias) => `${port} heißt nach seinem Profil jetzt „${alias}“`,
  aboutDevice: "Über dieses Gerät",
  thisIs: (maker, model) => `Dies ist: ${maker} ${model}`,
  playedHere: "Hier gespielt",
  imported: "Importiert",
  variant: "Variante",
  messages: "Nachrichten",
  whatItSends: "Was es sendet",
  oneSourceHint: "Das steht nur in einer Quelle",
  oneSource: "eine Quelle",
  goodToKnow: "Gut zu wissen",
  lights: "Lichter",
  sources: (count, checked) =>
    `${count === 1 ? "1 Quelle" : `${count} Quellen`}, geprüft ${checked}`,
  noProfileForThisDevice: "Kein Profil für dieses Gerät",
  noProfileHint:
    "Jedes Bedienelement einmal spielen, dann zeichnet Conductor das Gerät und benennt seine " +
    "Bedienelemente. Oder ein Profil importieren, das jemand anderes erstellt hat.",
  nameFromProfile: "Namen aus dem Profil",
  showPicture: "Bild anzeigen",
  importAProfile: "Profil importieren",

  // QuestionCard.svelte
  openQuestion: (question) => `Offene Frage: ${question}`,
  sourcesDisagree: "Quellen widersprechen sich:",
  askAgain: "Erneut fragen",
  noAnswer: (event) => `Das war ${event}, was zu keiner der Antworten passt.`,
  notNow: "Nicht jetzt",
  findOut: (question) => `Herausfinden: ${question}`,

  // profile-text.ts
  messageNames: {
    note: { one: "Note", more: "Noten" },
    cc: { one: "CC", more: "CC" },
    pitch_bend: { one: "Pitchbend", more: "Pitchbend" },
    program_change: { one: "Programm", more: "Programme" },
    channel_pressure: { one: "Druck", more: "Druck" },
    nrpn: { one: "NRPN", more: "NRPN" },
    button: { one: "Taste", more: "Tasten" },
    axis: { one: "Achse", more: "Achsen" },
    gamepad_trigger: { one: "Trigger", more: "Trigger" },
  },
  toggles: "schaltet um",
  endsWithNoteOff: "endet mit Note-off",
  endsWithNoteOff64: "endet mit Note-off 64",
  endsWithNoteOn0: "endet mit Note-on 0",
  endsWith0: "endet mit 0",
  channels: (channels) => `Kanäle ${channels}`,
  channel: (channel) => `Kanal ${channel}`,
  turnsAs: (encoding) => `dreht als ${encoding}`,
  confirmedByTwoSources: "Von zwei Quellen bestätigt",
  partlyFromOneSource: "Teilweise aus einer Quelle",
  fromOneSource: "Aus einer Quelle",

  // profile-recording.svelte.ts
  padsAndKeys: "Pads und Tasten",
  playPads:
    "Jedes Pad einmal drücken, von links unten, Reihe für Reihe. Auf einer Klaviatur jede Taste " +
    "von links nach rechts drücken.",
  knobs: "Drehregler",
  playKnobs: "Jeden Drehregler nach rechts und zurück drehen, von links oben, Reihe für Reihe.",
  turnToTheRight: (control) => `${control} nur nach rechts drehen, ein paar Schritte.`,
  faders: "Fader",
  playFaders: "Jeden Fader an beide Enden bewegen, von links nach rechts.",
  buttons: "Knöpfe",
  playButtons:
    "Jeden Knopf drücken, von links oben. Dann die ersten drei noch einmal, damit Conductor " +
    "erkennt, welche Knöpfe einrasten.",
  nextBank: "Nächste Bank",
  playBank:
    "Am Gerät die nächste Bank oder Ebene wählen und dieselben Bedienelemente in derselben " +
    "Reihenfolge spielen.",
  profileSaved: (title) => `${title} gespeichert. Die Ansicht Controller zeigt es jetzt.`,
  addToKnowledgeSearch: "Zur Wissenssuche hinzufügen",

  // entries.ts
  justNow: "gerade eben",
  secondsAgo: (count) => (count === 1 ? "vor 1 Sekunde" : `vor ${count} Sekunden`),
  minutesAgo: (count) => (count === 1 ? "vor 1 Minute" : `vor ${count} Minuten`),
  aliasKey: (alias) => `Alias ${alias}`,
  nthUnit: (unit) => `, Exemplar ${unit}`,
  isCalled: (pattern, unit) => `heißt „${pattern}“${unit}`,
  hasInName: (pattern, unit) => `hat „${pattern}“ im Namen${unit}`,
  hasNameLike: (pattern, unit) => `hat einen Namen, der zu /${pattern}/ passt${unit}`,
  hasSystemId: (pattern, unit) => `hat die System-ID ${pattern}${unit}`,
  isConnectedAt: (pattern, unit) => `ist angeschlossen an ${pattern}${unit}`,
  hasUsbId: (vendor, product, unit) => `hat die USB-Kennung ${vendor}:${product}${unit}`,
  hasCoreMidiId: (id, unit) => `hat die CoreMIDI-ID ${id}${unit}`,
  midiInput: "MIDI-Eingang",
  midiOutput: "MIDI-Ausgang",
  gamepad: "Gamepad",
  osc: "OSC",
  builtIn: "Eingebaut",
  disconnected: "Getrennt",
  onChannel: (channel) => ` · Kanal ${channel}`,
  controlValue: (control, value) => `${control} bei ${value}`,
  controlPressed: (control) => `${control} gedrückt`,
  controlReleased: (control) => `${control} losgelassen`,
  notePressed: (note, number, velocity) => `Note ${note} (${number}) mit ${velocity}`,
  noteReleased: (note, number) => `Note ${note} (${number}) losgelassen`,
  buttonPressed: (button) => `Taste ${button} gedrückt`,
  buttonReleased: (button) => `Taste ${button} losgelassen`,

  // DevicesView.svelte
  scannedForDevices: "Nach Geräten gesucht.",
  named: (port, alias) => `${port} heißt jetzt „${alias}“`,
  renamed: (old, name) => `${old} in ${name} umbenannt`,
  matchersChanged: (device) => `Geändert, woran ${device} erkannt wird`,
  removeNameOf: (name) => `Den Namen ${name} entfernen?`,
  removeNameWarning: (used) =>
    `${used === 1 ? "Ein Mapping verwendet" : `${used} Mappings verwenden`} diesen Namen und ` +
    `${used === 1 ? "funktioniert" : "funktionieren"} nicht, bis ein Gerät ihn wieder hat.`,
  nameRemoved: (name) => `Den Namen ${name} entfernt`,
  swapped: (one, other) => `${one} und ${other} getauscht`,
  devices: "Geräte",
  connectedCount: (count) => `${count} verbunden`,
  scanAgain: "Erneut suchen",
  couldNotLoadDevices: "Die Geräte konnten nicht geladen werden",
  loadingTheDevices: "Geräte werden geladen",
  noMatches: "Keine Treffer",
  noDeviceConnected: "Kein Gerät verbunden",
  tryAnotherSearch: "Eine andere Suche versuchen.",
  noDeviceHint:
    "Einen MIDI-Controller oder ein Gamepad anschließen, dann erscheint es hier. Der eingebaute " +
    "Controller lässt sich in den Einstellungen einschalten.",
  widthList: "Breite der Liste",
  namedNotConnected: "Benannt, nicht verbunden",
  outputs: "Ausgänge",
  midiOutputs: "MIDI-Ausgänge",
  outputTip: "Aktionen können MIDI an diesen Ausgang senden",
  noteChanged: (device) => `Die Notiz zu ${device} geändert`,
};
