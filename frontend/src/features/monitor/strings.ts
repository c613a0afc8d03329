/** The texts of features/monitor, for the page and for translators. */
export const strings = {
  // EventList.svelte
  events: "Events",
  noMatchingEvents: "No matching events",
  filterHidesAllEvents: "The filter hides all events.",
  showAll: "Show all",
  newEvents: (count: string): string => `${count} new`,

  // EventRow.svelte
  newestOf: (count: number): string => `${count} values; this is the newest`,
  mapThisControl: "Map this control",
  why: "Why?",

  // Why.svelte
  remedies: "What you can do",

  // Toolbar.svelte
  fired: "Fired",
  anActionRan: "An action ran",
  waiting: "Waiting",
  holdDoubleTapOrChord: "A hold, double tap or chord is still possible",
  noMatch: "No match",
  noMappingMatched: "No mapping matched",
  failed: "Failed",
  theActionFailed: "The action failed",
  mode: "Mode",
  theModeChanged: "The mode changed",
  released: "Released",
  controlsLetGo: "Controls released after a press",
  info: "Info",
  deadlinesEndedActionsForegroundApp: "Deadlines, ended actions, foreground app",
  allDevices: "All devices",
  filterByOutcome: "Filter by outcome",
  device: "Device",
  showAllControls: "Show all controls",
  touchControlNow: "Touch a control now…",
  touchAControl: "Touch a control",

  // Why.svelte
  close: "Close",
  conductor: "Conductor",
  value: (value: string): string => `value ${value}`,
  loadingTheExplanation: "Loading the explanation",
  verdict: "Verdict",
  wouldChange: "What would change it",
  toChange: (what: string): string => `To change that: ${what}.`,
  stepsEngine: "Engine steps",
  couldNotExplainEvent: "Could not explain the event",
  yes: "yes",
  no: "no",
  undecided: "undecided",
  showMapping: "Show mapping",

  // decode.ts
  noteOn: "Note on",
  noteOff: "Note off",
  cc: "CC",
  nrpn: "NRPN",
  rpn: "RPN",
  keyPressure: "Key pressure",
  pressure: "Pressure",
  pitchBend: "Pitch bend",
  program: "Program",
  programNumber: (number: number | string): string => `Program ${number}`,
  sysex: "SysEx",
  buttonDown: "Button down",
  buttonUp: "Button up",
  stick: "Stick",
  trigger: "Trigger",
  osc: "OSC",
  deviceDisconnected: "Device disconnected",
  deviceConnected: "Device connected",
  clock: "Clock",
  transport: "Transport",
  appInForeground: "App in the foreground",
  actionEnded: "Action ended",
  timePassed: "Time passed",
  ch: (channel: number | string): string => `ch ${channel}`,
  bytesCount: (count: number | string): string => `${count} bytes`,
  number: (number: string): string => `number ${number}`,
  valueNamed: (value: string | number): string => `value ${value}`,
  channel: (channel: number | string): string => `channel ${channel}`,
  bytes: (bytes: string): string => `bytes ${bytes}`,

  // remedies.ts
  unmuteDevice: "Unmute device",
  resumeMappings: "Resume mappings",
  switchToMode: (mode: string): string => `Switch to mode ${mode}`,
  switchOn: "Switch on",
  switchOnReason: (mapping: string): string => `Switch ${mapping} on`,
  switchedOn: (mapping: string): string => `Switched ${mapping} on`,
  showProfile: "Show profile",
  editMapping: "Edit mapping",

  // filter.ts
  modeResult: (mode: string | null | undefined): string => `Mode ${mode || "changes"}`,
  nothingMapped: "no active mapping for this control",
  onDevice: (control: string, device: string): string => `${control} on ${device}`,

  // MonitorView.svelte
  monitor: "Monitor",
  rate: (count: string): string => `${count} events/s`,
  inputAndWhatTriggers: "Input and what it triggers",
  skippedTip: "These events came too fast to show. All of them were processed.",
  skipped: (count: string): string => `${count} not shown`,
  clear: "Clear",
  resumeNew: (count: string): string => `Resume · ${count} new`,
  resume: "Resume",
  pause: "Pause",
  couldNotLoadEvents: "Could not load the events",
  playSomething: "Play something",
  empty:
    "Each press, turn and message appears here with its result. No controller at " +
    "hand? Use the virtual one in the Controller view.",
  engineStopped:
    "The engine is not running. Start it from the dot in the top bar; then your " +
    "input appears here.",
  widthExplanation: "Explanation width",
};
