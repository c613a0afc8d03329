/** User-visible texts of `ui`. All texts are here, so that they can be translated. */
import { translatable } from "$language/language.svelte";

export const strings = translatable("ui", {
  // ChangeRows.svelte
  beforeAndAfter: "Before and after",
  nameAdded: "name added",
  renamedFrom: (name: string): string => `renamed from “${name}”`,
  nameRemoved: (name: string): string => `name “${name}” removed`,
  changeKinds: { added: "Added", removed: "Removed", changed: "Changed", moved: "Moved" },

  // Combobox.svelte
  showChoices: (label: string): string => `Show choices: ${label}`,
  unknownName: "Conductor does not know this name, but you can use it.",
  noMatches: "No matches.",

  // Countdown.svelte
  expiresIn: "Expires in",

  // Dialog.svelte
  close: "Close",

  // Diff.svelte
  textDiff: "As text",
  lineCount: (title: string, added: number, removed: number): string =>
    `${title}: ${added} lines added, ${removed} removed`,
  showAllLines: (count: string): string => `Show all ${count} lines`,

  // ErrorState.svelte
  somethingWentWrong: "Something went wrong",
  tryAgain: "Try again",

  // MappingRow.svelte
  does: "does",

  // OutcomeBadge.svelte
  fired: "Fired",
  waiting: "Waiting",
  noMatch: "No match",
  failed: "Failed",
  mode: "Mode",
  released: "Released",
  info: "Info",
  no: "No",
  paused: "Paused",
  shadowed: "Shadowed",

  // Parameters.svelte
  optional: ", optional",
  noArguments: "No arguments.",

  // Raw.svelte
  invisibleCharacters: "Invisible characters",

  // RowBadges.svelte
  hold: "hold",
  double: "double",
  chord: "chord",
  release: "release",
  condition: "if",
  shell: "shell",
  held: "held",
  repeat: "repeat",
  steps: "steps",
  off: "off",
  holdTip: "Fires when held long enough",
  doubleTip: "Fires on the second of two quick taps",
  chordTip: "Fires when several are pressed together",
  releaseTip: "Fires on release",
  conditionTip: "Only while a condition is true",
  shellTip: "Runs a program with your permissions",
  whileHeldTip: "Stays pressed while the control is held",
  repeatTip: "Repeats its action",
  sequenceTip: "Runs several actions, one after the other",
  disabledTip: "Disabled",

  // SearchField.svelte
  search: "Search",
  clearSearch: "Clear the search",

  // Select.svelte
  choosePlaceholder: "Choose…",

  // SplitPane.svelte
  backToList: "Back to the list",

  // notes.svelte.ts
  virtualController: "Virtual controller",

  // Toaster.svelte
  notifications: "Notifications",
  dismiss: "Dismiss",
  shownTimes: (count: number): string => `${count} times`,
  moreToasts: (count: number): string => `${count} more`,

  // Values.svelte
  linesOfText: (count: number): string => `${count} lines of text`,
  copied: "Copied",
  copyOf: (label: string): string => `Copy: ${label}`,

  // ViewFrame.svelte
  searchIn: (title: string): string => `Search in ${title}`,

  // parameters.ts
  text: "text",
  number: "number",
  list: "list",
  object: "object",
  nothing: "nothing",
  anything: "anything",
  wholeNumber: "whole number",
  yesOrNo: "yes or no",
  listOf: (kind: string): string => `list of ${kind}`,
  ifOmitted: (value: string): string => `If omitted: ${value}.`,

  // platform.ts
  keys: {
    mod: "Ctrl",
    ctrl: "Ctrl",
    alt: "Alt",
    shift: "Shift",
    escape: "Esc",
    enter: "Enter",
    space: "Space",
    tab: "Tab",
    backspace: "Backspace",
    delete: "Del",
    insert: "Insert",
    home: "Home",
    end: "End",
    pageup: "PgUp",
    pagedown: "PgDn",
    capslock: "Capslock",
    printscreen: "Printscreen",
    menu: "Menu",
    volumeup: "Vol +",
    volumedown: "Vol -",
    mute: "Mute",
    playpause: "Play/Pause",
    play: "Play",
    stop: "Stop",
    next: "Next",
    previous: "Previous",
    brightnessup: "Brightnessup",
    brightnessdown: "Brightnessdown",
  } as Record<string, string>,

  // Words.svelte
  quoted: (name: string): string => `“${name}”`,

  // visible.ts
  andMore: (named: string, count: number): string => `${named} and ${count} more`,
});
