/** User-visible strings of `features/devices`, in one place for translation. */
import { translatable } from "$language/language.svelte";

export const strings = translatable("features/devices", {
  // DevicePanel.svelte
  deviceNeedsName: "A device needs a name.",
  anotherDeviceHasThisName: "Another device has this name.",
  nameCannotContainColon: "A name cannot contain a colon.",
  device: (title: string): string => `Device ${title}`,
  connected: "Connected",
  problem: "Problem",
  notConnected: "Not connected",
  muted: "Muted",
  on: "On",
  unitOf: (unit: number, equal: number): string => ` · ${unit} of ${equal} identical devices`,
  test: "Test",
  playToTest: "Press or turn anything on it: the picture lights up.",
  connectToPlay: "Connect it, and its picture lights up when you play.",
  ownMappings: (count: number): string =>
    count === 1 ? "1 mapping of this device" : `${count} mappings of this device`,
  mutedHint: "Muted until the next start: it triggers nothing.",
  name: "Name",
  renameHint: "Mappings that use the name are updated.",
  note: "Note",
  noteForYourself: "A note for yourself",
  swapWithIdenticalDevice: "Swap with identical device",
  removeName: "Remove name",
  noNameHint:
    "Without a name, the device plays the mappings of any device. With a name, it " +
    "can have its own mappings, on whatever port it is connected to.",
  nameDevice: "Name device",
  virtualControllerHint: (id: string): string =>
    `The built-in controller, to play with the mouse. In config.toml it is called “${id}”.`,
  cheatSheet: "Cheat sheet",
  whenShown: "Show or hide it in Settings",

  // BatteryBadge.svelte
  batteryLevels: {
    empty: "Battery empty",
    low: "Battery low",
    medium: "Battery medium",
    full: "Battery full",
    wired: "Powered by cable",
  },

  // DeviceRow.svelte
  unitSuffix: (unit: number, equal: number): string => ` · unit ${unit} of ${equal}`,
  noName: "No name",

  // MakeProfile.svelte
  makeProfileByPlaying: "Make a profile by playing",
  makeProfileHint: "Mappings are paused meanwhile. Skip steps that have nothing to play.",
  steps: "Steps",
  startingToListen: "Starting to listen…",
  checkPictureHint:
    "Does the picture match your device? Adjust the columns where rows are too " +
    "long or too short, then save the profile.",
  nothingPlayed: "No input yet.",
  playedControls: "Played controls",
  columnsOf: (group: string): string => `Columns of ${group}`,
  profileNameHint: "Maker and model, for example Acme Grid 16.",
  cancel: "Cancel",
  playAnotherBank: "Play another bank",
  saveProfile: "Save profile",
  next: "Next",

  // Matchers.svelte
  matchersTitle: "How Conductor recognises it",
  oneMatchEnough: "one match is enough",
  matches: "Matches",
  checkedWhenConnected: "Checked when the device is connected",
  doesNotMatch: "Does not match",
  changeMatcher: (matcher: string): string => `Change: ${matcher}`,
  deleteMatcher: (matcher: string): string => `Delete: ${matcher}`,
  addAnotherWay: "Add another way",
  matcherQuestion: "How should Conductor recognise it?",
  matcher: "Matcher",
  save: "Save",

  // NameDialog.svelte
  nameHint: "Mappings use this name, whatever port the device is connected to.",
  shortNameHint: "Keep it short: pads, left, pedals.",
  identicalDeviceCount: (count: number): string => `There are ${count} identical devices.`,
  pressControlHint: "Press a control on the one that you want to name.",
  identicalDevices: "Identical devices",
  unitNumber: (unit: number): string => `unit ${unit}`,
  selected: "Selected",
  recognisedAs: (matcher: string): string =>
    `Conductor recognises it by this: it ${matcher}. You can change that later.`,
  saveName: "Save name",

  // ProfileCard.svelte
  namedByProfile: (port: string, alias: string): string =>
    `Named ${port} “${alias}”, using its profile`,
  aboutDevice: "About this device",
  thisIs: (maker: string, model: string): string =>
    `This is ${/^[aeiou]/i.test(maker) ? "an" : "a"} ${maker} ${model}`,
  playedHere: "Played here",
  imported: "Imported",
  variant: "Variant",
  messages: "Messages",
  whatItSends: "What it sends",
  oneSourceHint: "Only one source states this",
  oneSource: "one source",
  goodToKnow: "Good to know",
  lights: "Lights",
  sources: (count: number, checked: string): string =>
    `${count === 1 ? "1 source" : `${count} sources`}, checked ${checked}`,
  noProfileForThisDevice: "No profile for this device",
  noProfileHint:
    "Play each control once, and Conductor draws the device and names its " +
    "controls. Or import a profile that someone else made.",
  nameFromProfile: "Name from profile",
  showPicture: "Show picture",
  importAProfile: "Import a profile",

  // QuestionCard.svelte
  openQuestion: (question: string): string => `Open question: ${question}`,
  sourcesDisagree: "Sources disagree:",
  askAgain: "Ask again",
  noAnswer: (event: string): string => `That was ${event}, which matches none of the answers.`,
  notNow: "Not now",
  findOut: (question: string): string => `Find out: ${question}`,

  // profile-text.ts
  messageNames: {
    note: { one: "note", more: "notes" },
    cc: { one: "CC", more: "CC" },
    pitch_bend: { one: "pitch bend", more: "pitch bend" },
    program_change: { one: "program", more: "programs" },
    channel_pressure: { one: "pressure", more: "pressure" },
    nrpn: { one: "NRPN", more: "NRPN" },
    button: { one: "button", more: "buttons" },
    axis: { one: "axis", more: "axes" },
    gamepad_trigger: { one: "trigger", more: "triggers" },
  },
  toggles: "toggles",
  endsWithNoteOff: "ends with note-off",
  endsWithNoteOff64: "ends with note-off 64",
  endsWithNoteOn0: "ends with note-on 0",
  endsWith0: "ends with 0",
  channels: (channels: string): string => `channels ${channels}`,
  channel: (channel: number): string => `channel ${channel}`,
  turnsAs: (encoding: string): string => `turns as ${encoding}`,
  confirmedByTwoSources: "Confirmed by two sources",
  partlyFromOneSource: "Partly from one source",
  fromOneSource: "From one source",

  // profile-recording.svelte.ts
  padsAndKeys: "Pads and keys",
  playPads:
    "Press every pad once, from the lower left, row by row. On a keyboard, press " +
    "every key from left to right.",
  knobs: "Knobs",
  playKnobs: "Turn every knob or encoder to the right and back, from the upper left, row by row.",
  turnToTheRight: (control: string): string => `Turn ${control} to the right only, a few steps.`,
  faders: "Faders",
  playFaders: "Move every fader to both ends, from left to right.",
  buttons: "Buttons",
  playButtons:
    "Press every button, from the upper left. Then press the first three again, so " +
    "that Conductor can tell which buttons latch.",
  nextBank: "Next bank",
  playBank:
    "Choose the next bank or layer on the device and play the same controls in the same order.",
  profileSaved: (title: string): string => `Saved ${title}. The Controller view shows it now.`,
  addToKnowledgeSearch: "Add to knowledge search",

  // entries.ts
  justNow: "just now",
  secondsAgo: (count: number): string => (count === 1 ? "1 second ago" : `${count} seconds ago`),
  minutesAgo: (count: number): string => (count === 1 ? "1 minute ago" : `${count} minutes ago`),
  aliasKey: (alias: string): string => `alias ${alias}`,
  nthUnit: (unit: number): string => `, unit ${unit}`,
  isCalled: (pattern: string, unit: string): string => `is called “${pattern}”${unit}`,
  hasInName: (pattern: string, unit: string): string => `has “${pattern}” in its name${unit}`,
  hasNameLike: (pattern: string, unit: string): string =>
    `has a name that matches /${pattern}/${unit}`,
  hasSystemId: (pattern: string, unit: string): string => `has the system id ${pattern}${unit}`,
  isConnectedAt: (pattern: string, unit: string): string => `is connected at ${pattern}${unit}`,
  hasUsbId: (vendor: string, product: string, unit: string): string =>
    `has the USB id ${vendor}:${product}${unit}`,
  hasCoreMidiId: (id: number, unit: string): string => `has the CoreMIDI id ${id}${unit}`,
  midiInput: "MIDI input",
  midiOutput: "MIDI output",
  gamepad: "Gamepad",
  osc: "OSC",
  builtIn: "Built in",
  disconnected: "Disconnected",
  onChannel: (channel: number): string => ` · channel ${channel}`,
  controlValue: (control: string, value: string): string => `${control} at ${value}`,
  controlPressed: (control: string): string => `${control} pressed`,
  controlReleased: (control: string): string => `${control} released`,
  notePressed: (note: string, number: number | string, velocity: string): string =>
    `Note ${note} (${number}) at ${velocity}`,
  noteReleased: (note: string, number: number | string): string =>
    `Note ${note} (${number}) released`,
  buttonPressed: (button: number | string): string => `Button ${button} pressed`,
  buttonReleased: (button: number | string): string => `Button ${button} released`,

  // DevicesView.svelte
  scannedForDevices: "Scanned for devices.",
  named: (port: string, alias: string): string => `Named ${port} “${alias}”`,
  renamed: (old: string, name: string): string => `Renamed ${old} to ${name}`,
  matchersChanged: (device: string): string => `Changed how ${device} is recognised`,
  removeNameOf: (name: string): string => `Remove the name ${name}?`,
  removeNameWarning: (used: number): string =>
    `${used === 1 ? "One mapping uses" : `${used} mappings use`} this name and ` +
    "will not work until a device has it again.",
  nameRemoved: (name: string): string => `Removed the name ${name}`,
  swapped: (one: string, other: string): string => `Swapped ${one} and ${other}`,
  devices: "Devices",
  connectedCount: (count: number): string => `${count} connected`,
  scanAgain: "Scan again",
  couldNotLoadDevices: "Could not load the devices",
  loadingTheDevices: "Loading the devices",
  noMatches: "No matches",
  noDeviceConnected: "No device connected",
  tryAnotherSearch: "Try another search.",
  noDeviceHint:
    "Connect a MIDI controller or a gamepad, and it appears here. You can enable " +
    "the built-in controller in Settings.",
  widthList: "List width",
  namedNotConnected: "Named, not connected",
  outputs: "Outputs",
  midiOutputs: "MIDI outputs",
  outputTip: "Actions can send MIDI to this output",
  noteChanged: (device: string): string => `Changed the note for ${device}`,
});
