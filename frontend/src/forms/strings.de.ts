/** German texts of `forms`. */
import type { strings } from "./strings";

const withUnit = (number: number, unit: string): string =>
  unit ? `${number}\u00a0${unit}` : `${number}`;

export const german: typeof strings = {
  // arguments.ts
  notSet: "Nicht gesetzt",
  text: "Text",
  number: "Zahl",
  yesOrNo: "Ja oder nein",
  oneOf: "Eines von",
  list: "Liste",
  group: "Gruppe von Werten",
  nothingValue: "Nichts",
  fromTheControl: "Vom Bedienelement",
  argumentNotListed: "Das Tool nennt dieses Argument nicht.",

  // ActionPicker.svelte
  commonActions: "Häufige Aktionen",

  // ArgumentRow.svelte
  position: "Position",
  steps: "Schritte",
  requiredByTool: "Vom Tool verlangt",
  required: ", erforderlich",
  valueSource: (name) => `Quelle von ${name}`,
  remove: (name) => `${name} entfernen`,
  yes: "Ja",
  no: "Nein",
  valueOfControl: (name) => `Wert des Bedienelements für ${name}`,
  from: "von",
  atLowest: (name) => `${name} beim niedrigsten Wert`,
  to: "bis",
  atHighest: (name) => `${name} beim höchsten Wert`,

  // ChannelField.svelte
  channel: (number) => `Kanal ${number}`,
  anyChannel: "Beliebiger Kanal",

  // ColorField.svelte
  colourPlaceholder: "Farbname oder 0-127",

  // CurveField.svelte
  inputFrom: "Eingang von",
  inputTo: "Eingang bis",
  outputFrom: "Ausgang von",
  outputTo: "Ausgang bis",
  none: "Keine",
  shapeOf: (label) => `${label}: Form`,
  unchanged: "Unverändert",
  scaled: "Skaliert",
  slowStart: "Langsamer Anfang",
  fastStart: "Schneller Anfang",
  slowEnds: "Langsame Enden",
  reversed: "Umgekehrt",
  fixed: "Fest",
  value: "Wert",
  intensity: "Stärke",

  // CurvePicture.svelte
  inputAndOutput: (input, output) => `Eingang ${input}, Ausgang ${output}`,
  curveAxes: "Kurve: Eingang auf der waagerechten, Ausgang auf der senkrechten Achse",
  curveStart: "Anfang der Kurve",
  curveEnd: "Ende der Kurve",
  bend: "Krümmung",
  level: "Pegel",

  // Keyboard.svelte
  oneOctaveDown: "Eine Oktave tiefer",
  pianoFrom: (note) => `Klaviatur ab ${note}`,
  oneOctaveUp: "Eine Oktave höher",

  // ListArgument.svelte
  itemOf: (name, number) => `${name} ${number}`,
  addTo: (name) => `Zu ${name} hinzufügen`,

  // NumberInput.svelte, RangeField.svelte
  sliderOf: (label) => `${label}: Schieberegler`,

  // LightField.svelte
  cc: "CC",

  // KeysField.svelte
  removeKey: (key) => `${key} entfernen`,
  pressTheKeys: "Tasten drücken …",
  noKeysYet: "Noch keine Tasten",
  stop: "Stopp",
  record: "Aufnehmen",
  addKeyTo: (label) => `${label}: Taste nach Namen hinzufügen`,
  addKeyPlaceholder: "Taste nach Namen hinzufügen, z. B. F13",
  recordingStatus: "Aufnahme läuft: Tasten drücken.",

  // ListField.svelte
  item: "Eintrag",
  itemAction: "Aktion",
  itemCondition: "Bedingung",
  itemArgument: "Argument",
  itemWord: "Wort",
  itemMatcher: "Regel",
  moveUp: (item, number) => `${item} ${number} nach oben`,
  moveDown: (item, number) => `${item} ${number} nach unten`,
  removeItem: (item, number) => `${item} ${number} entfernen`,
  addItem: (item) => `${item} hinzufügen`,

  // NoteField.svelte
  unknownNote:
    "Diese Note gibt es nicht. Eine Zahl von 0 bis 127, einen Namen wie C1 oder den eines " +
    "Bedienelements eingeben.",

  // AppSelect.svelte
  running: "Läuft gerade",

  // MappingTitle.svelte
  newMapping: "Neues Mapping",
  does: "bewirkt",
  whatShouldItDo: "Was soll passieren?",

  // Candidates.svelte
  useIt: "Verwenden",
  veryLikely: "sehr wahrscheinlich",
  likely: "wahrscheinlich",
  possible: "möglich",
  matchingTriggersBestFirst: "Passende Auslöser, bester zuerst",

  // NameField.svelte
  noMidiOutput:
    "Kein MIDI-Ausgang ist verbunden. Der Name eines Ausgangs, der noch verbunden wird, kann " +
    "eingegeben werden.",
  noDevice:
    "Kein Gerät ist verbunden. Der Name eines Geräts, das noch verbunden wird, kann eingegeben " +
    "werden.",
  anyDevice: "Beliebiges Gerät",
  any: "Beliebig",
  selectOrEnter: "Auswählen oder eingeben …",
  selectOrCreate: "Auswählen oder anlegen …",
  createMode: (name) => `Modus „${name}“ anlegen`,

  // NoteField.svelte
  anyNote: "Beliebige Note",
  notePlaceholder: "36 oder C1",
  hidePiano: "Klaviatur ausblenden",
  showPiano: "Klaviatur anzeigen",

  // NotesField.svelte
  removeNote: (note, number) => `${note} (${number}) entfernen`,
  selectNotesOnPiano: "Noten auf der Klaviatur auswählen.",

  // ObjectFields.svelte
  control: "Bedienelement",
  gamepadButton: "Gamepad-Taste",
  note: "Note",
  fineTuning: "Feineinstellung",
  resultsOfControl: (low, middle, high, unit) =>
    `Unterste Stellung: ${withUnit(low, unit)}, Mitte: ${withUnit(middle, unit)}, ` +
    `oberste: ${withUnit(high, unit)}`,
  whereAndWhen: "Wo und wann",

  // problems.ts
  chooseAMode: "Den Modus auswählen, in den gewechselt wird.",
  addAtLeastOne: "Mindestens eines hinzufügen.",
  fillThisIn: "Dieses Feld ausfüllen.",
  chooseAControl: "Ein Bedienelement auswählen.",
  beginWithASlash: "Mit einem Schrägstrich beginnen, wie in /volume.",
  wrongForm: "Das hat nicht die richtige Form.",
  toolNeedsArgument: "Das Tool braucht dieses Argument.",

  // PluginArgsField.svelte
  noArguments: "Das Tool hat keine Argumente.",
  argumentName: "Name des Arguments",
  addAnArgument: "Argument hinzufügen",
  add: "Hinzufügen",

  // PluginServerField.svelte
  ready: "bereit",
  failed: "fehlgeschlagen",
  starting: "startet",
  off: "aus",
  waitingForApproval: "wartet auf Erlaubnis",
  oneTool: "1 Tool",
  tools: (count) => `${count} Tools`,
  selectAServer: "Server auswählen …",
  noMcpServers: "Keine MCP-Server.",
  mcpServers: "MCP-Server",

  // PluginToolField.svelte
  selectATool: "Tool auswählen …",
  noSuchTool: (server) => `${server} hat kein Tool mit diesem Namen.`,

  // NameField.svelte
  name: "Name",
  namePlaceholder: "Wofür dieses Mapping ist",

  // SilentSwitch.svelte
  silent: "Mappings anhalten",

  // TakenNote.svelte
  takenBy: (trigger, action) =>
    `${trigger} ist schon zugewiesen: ${action}. Was soll damit geschehen?`,
  takenWithoutRoom: (trigger, action) =>
    `${trigger} ist schon zugewiesen: ${action}. Ein neues Mapping kann es nur ersetzen.`,
  replaceNamed: (mapping) => `Ersetzen: ${mapping}`,
  ways: {
    replace: () => "Ersetzen",
    hold: (ms) => `Halten ergänzen, ${ms} ms`,
    double: () => "Doppeltippen ergänzen",
  },
  existingMapping: "Vorhandenes Mapping",
  chooseWay: "Oben auswählen: ersetzen oder ergänzen.",

  // discard.ts
  discardMappingTitle: "Dieses Mapping verwerfen?",
  saveMappingTitle: "Dieses Mapping speichern?",
  save: "Speichern",
  discardMappingText: (mapping) => `${mapping || "Es"} ist noch nicht gespeichert.`,
  discard: "Verwerfen",
  keepEditing: "Weiter bearbeiten",

  // TestAction.svelte
  test: "Testen",
  actionRan: "Die Aktion wurde ausgeführt.",
  actionFailed: (reason) => `Die Aktion ist fehlgeschlagen: ${reason}`,

  // UnionField.svelte
  nothing: "Nichts",
  other: "Andere",
  kindOf: (label) => `${label}: Art`,
  selectAKind: "Art auswählen …",

  // VariantField.svelte
  sourceOf: (label) => `${label}: Quelle`,
};
