/** User-visible texts of `forms`. All texts are here, so that they can be translated. */
import { translatable } from "$language/language.svelte";

const withUnit = (number: number, unit: string): string =>
  unit ? `${number}\u00a0${unit}` : `${number}`;

export const strings = translatable("forms", {
  // arguments.ts
  notSet: "Not set",
  text: "Text",
  number: "Number",
  yesOrNo: "Yes or no",
  oneOf: "One of",
  list: "List",
  group: "Group of values",
  nothingValue: "Nothing",
  fromTheControl: "From the control",
  argumentNotListed: "The tool does not list this argument.",

  // ActionPicker.svelte
  commonActions: "Common actions",

  // ArgumentRow.svelte
  position: "Position",
  steps: "Steps",
  requiredByTool: "Required by the tool",
  required: ", required",
  valueSource: (name: string): string => `Source of ${name}`,
  remove: (name: string): string => `Remove ${name}`,
  yes: "Yes",
  no: "No",
  valueOfControl: (name: string): string => `Value of the control for ${name}`,
  from: "from",
  atLowest: (name: string): string => `${name} at the lowest value`,
  to: "to",
  atHighest: (name: string): string => `${name} at the highest value`,

  // ChannelField.svelte
  channel: (number: number): string => `Channel ${number}`,
  anyChannel: "Any channel",

  // ColorField.svelte
  colourPlaceholder: "Colour name or 0-127",

  // CurveField.svelte
  inputFrom: "Input from",
  inputTo: "Input to",
  outputFrom: "Output from",
  outputTo: "Output to",
  none: "None",
  shapeOf: (label: string): string => `${label}: shape`,
  unchanged: "Unchanged",
  scaled: "Scaled",
  slowStart: "Slow start",
  fastStart: "Fast start",
  slowEnds: "Slow ends",
  reversed: "Reversed",
  fixed: "Fixed",
  value: "Value",
  intensity: "Intensity",

  // CurvePicture.svelte
  inputAndOutput: (input: number, output: number): string => `in ${input}, out ${output}`,
  curveAxes: "Curve: input on the horizontal axis, output on the vertical axis",
  curveStart: "Start of the curve",
  curveEnd: "End of the curve",
  bend: "Bend",
  level: "Level",

  // Keyboard.svelte
  oneOctaveDown: "One octave down",
  pianoFrom: (note: string): string => `Piano from ${note}`,
  oneOctaveUp: "One octave up",

  // ListArgument.svelte
  itemOf: (name: string, number: number): string => `${name} ${number}`,
  addTo: (name: string): string => `Add to ${name}`,

  // NumberInput.svelte, RangeField.svelte
  sliderOf: (label: string): string => `${label}: slider`,

  // LightField.svelte
  cc: "CC",

  // KeysField.svelte
  removeKey: (key: string): string => `Remove ${key}`,
  pressTheKeys: "Press the keys…",
  noKeysYet: "No keys yet",
  stop: "Stop",
  record: "Record",
  addKeyTo: (label: string): string => `${label}: add a key by name`,
  addKeyPlaceholder: "Add a key by name, for example F13",
  recordingStatus: "Recording: press the keys.",

  // ListField.svelte
  item: "item",
  itemAction: "action",
  itemCondition: "condition",
  itemArgument: "argument",
  itemWord: "word",
  itemMatcher: "matcher",
  moveUp: (item: string, number: number): string => `Move ${item} ${number} up`,
  moveDown: (item: string, number: number): string => `Move ${item} ${number} down`,
  removeItem: (item: string, number: number): string => `Remove ${item} ${number}`,
  addItem: (item: string): string => `Add ${item}`,

  // NoteField.svelte
  unknownNote:
    "There is no such note. Enter a number from 0 to 127, a name such as C1, or that of a control.",

  // AppSelect.svelte
  running: "Running",

  // MappingTitle.svelte
  newMapping: "New mapping",
  does: "does",
  whatShouldItDo: "What should it do?",

  // Candidates.svelte
  useIt: "Use it",
  veryLikely: "very likely",
  likely: "likely",
  possible: "possible",
  matchingTriggersBestFirst: "Matching triggers, best first",

  // NameField.svelte
  anyDevice: "Any device",
  noMidiOutput: "No MIDI output is connected. You can enter the name of one that you will connect.",
  noDevice: "No device is connected. You can enter the name of one that you will connect.",
  any: "Any",
  selectOrEnter: "Select or enter…",
  selectOrCreate: "Select or create…",
  createMode: (name: string): string => `Create mode “${name}”`,

  // NoteField.svelte
  anyNote: "Any note",
  notePlaceholder: "36 or C1",
  hidePiano: "Hide piano",
  showPiano: "Show piano",

  // NotesField.svelte
  removeNote: (note: string, number: number): string => `Remove ${note} (${number})`,
  selectNotesOnPiano: "Select notes on the piano.",

  // ObjectFields.svelte
  control: "Control",
  gamepadButton: "Gamepad button",
  note: "Note",
  fineTuning: "Fine tuning",
  whereAndWhen: "Where and when",
  resultsOfControl: (low: number, middle: number, high: number, unit: string): string =>
    `Lowest position: ${withUnit(low, unit)}, middle: ${withUnit(middle, unit)}, ` +
    `highest: ${withUnit(high, unit)}`,

  // problems.ts
  chooseAMode: "Choose the mode to change to.",
  addAtLeastOne: "Add at least one.",
  fillThisIn: "Fill this in.",
  chooseAControl: "Choose a control.",
  beginWithASlash: "Begin with a slash, as in /volume.",
  wrongForm: "This does not have the right form.",
  toolNeedsArgument: "The tool needs this argument.",

  // PluginArgsField.svelte
  noArguments: "The tool has no arguments.",
  argumentName: "Argument name",
  addAnArgument: "Add an argument",
  add: "Add",

  // PluginServerField.svelte
  ready: "ready",
  failed: "failed",
  starting: "starting",
  off: "off",
  waitingForApproval: "waiting for approval",
  oneTool: "1 tool",
  tools: (count: number): string => `${count} tools`,
  selectAServer: "Select a server…",
  noMcpServers: "No MCP servers.",
  mcpServers: "MCP servers",

  // PluginToolField.svelte
  selectATool: "Select a tool…",
  noSuchTool: (server: string | undefined): string => `${server} has no tool with this name.`,

  // NameField.svelte
  name: "Name",
  namePlaceholder: "What this mapping is for",

  // SilentSwitch.svelte
  silent: "Pause mappings",

  // TakenNote.svelte
  takenBy: (trigger: string, action: string): string =>
    `${trigger} is already mapped: ${action}. Choose what happens to it.`,
  takenWithoutRoom: (trigger: string, action: string): string =>
    `${trigger} is already mapped: ${action}. A new mapping can only replace it.`,
  replaceNamed: (mapping: string): string => `Replace: ${mapping}`,
  ways: {
    replace: (): string => "Replace it",
    hold: (ms: number): string => `Add a hold, ${ms} ms`,
    double: (): string => "Add a double tap",
  },
  existingMapping: "Existing mapping",
  chooseWay: "Choose above what happens to the existing mapping.",

  // discard.ts
  discardMappingTitle: "Discard this mapping?",
  saveMappingTitle: "Save this mapping?",
  save: "Save",
  discardMappingText: (mapping: string): string => `${mapping || "It"} is not saved yet.`,
  discard: "Discard",
  keepEditing: "Keep editing",

  // TestAction.svelte
  test: "Test",
  actionRan: "The action ran.",
  actionFailed: (reason: string): string => `The action failed: ${reason}`,

  // UnionField.svelte
  nothing: "Nothing",
  other: "Other",
  kindOf: (label: string): string => `${label}: kind`,
  selectAKind: "Select a kind…",

  // VariantField.svelte
  sourceOf: (label: string): string => `${label}: source`,
});
