/** User-visible strings of `features/monitor`, in one place for translation. */
import { translatable } from "$language/language.svelte";

export const strings = translatable("features/monitor", {
  // EventList.svelte
  events: "Events",
  noMatchingEvents: "No matching events",
  filterHidesAllEvents: "The filter hides all events.",
  showAll: "Show all",
  paused: "List paused",
  showsNewEvents: "New events are shown as they come.",
  pausedBySelection: "List paused while an event is selected",
  pausedByScrolling: "List paused while you look at earlier events",
  newEventCount: (count: string): string => `${count} new`,

  // EventRow.svelte
  newestOf: (count: number): string => `${count} values; this is the newest`,
  mapThisControl: "Map this control",
  why: "Why?",

  // Timeline.svelte
  timeline: "Timeline",
  now: "now",
  secondsBefore: (seconds: number): string => `${seconds} s`,

  // Toolbar.svelte
  fired: "Fired",
  firedHint: "An action ran",
  waiting: "Waiting",
  waitingHint: "A hold, double tap or chord is still possible",
  noMatch: "No match",
  noMatchHint: "No mapping matched",
  failed: "Failed",
  failedHint: "The action failed",
  mode: "Mode",
  modeHint: "The mode changed",
  released: "Released",
  releasedHint: "Controls released after a press",
  info: "Info",
  infoHint: "Deadlines, ended actions, foreground app",
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
  nearestMapping: "Nearest mapping",
  otherMappings: "Other mappings of this control",
  does: "does",
  engineSteps: "Step by step",
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
  valueOf: (value: string | number): string => `value ${value}`,
  channel: (channel: number | string): string => `channel ${channel}`,
  bytes: (bytes: string): string => `bytes ${bytes}`,

  // remedies.ts
  unmuteDevice: "Unmute device",
  resumeMappings: "Resume mappings",
  switchToMode: (mode: string): string => `Switch to mode ${mode}`,
  switchOn: "Switch on",
  switchedOn: (mapping: string): string => `Switched ${mapping} on`,
  showProfile: "Show profile",
  editMapping: "Edit mapping",

  // filter.ts
  modeResult: (mode: string | null | undefined): string => `Mode ${mode || "changes"}`,
  nothingMapped: "not mapped in this mode",
  switchedOff: (mapping: string): string => `switched off: ${mapping}`,
  mappedOnDevice: (device: string): string => `mapped on ${device} only`,
  mappedOnChannel: (channel: number): string => `mapped on channel ${channel} only`,
  mappedIn: (places: string): string => `mapped in ${places} only`,
  morePlaces: (count: number): string => `${count} more`,
  test: "Test of an action",
  onDevice: (control: string, device: string): string => `${control} on ${device}`,

  // MonitorView.svelte
  monitor: "Monitor",
  rate: (count: string): string => `${count} events/s`,
  note: "Input and what it triggers",
  skippedHint: "These events came too fast to show. All of them were processed.",
  skippedCount: (count: string): string => `${count} not shown`,
  clear: "Clear",
  resumeNew: (count: string): string => `Show live · ${count} new`,
  resume: "Show live",
  pause: "Pause list",
  couldNotLoadEvents: "Could not load the events",
  playSomething: "Play something",
  noEventsHint:
    "Each press, turn and message appears here with its result. No controller at " +
    "hand? Use the virtual one in the Controller view.",
  engineStoppedHint:
    "The engine is not running. Start it from the dot in the top bar; then your " +
    "input appears here.",
  widthExplanation: "Explanation width",
});
