/** User-visible texts of `proof`. All texts are here, so that they can be translated. */
import { formatNumber } from "$language/format";
import { translatable } from "$language/language.svelte";

export const strings = translatable("proof", {
  // CheckNote.svelte
  severity: { info: "info", warning: "warning", error: "error" },

  // DeadEndNote.svelte
  deadEnd: (mode: string): string =>
    `Nothing leads back from ${mode}: no mapping in ${mode} or in all modes changes the mode.`,
  thereAndBack: "Go there and back, in all modes",

  // BrokenExamples.svelte
  breaksOne: "Breaks a saved example",
  breaksMany: (count: number): string => `Breaks ${count} saved examples`,
  failingSavedExamples: "Saved examples that fail",
  wouldDo: (fired: string): string => `would do ${fired || "nothing"}`,

  // Counterexamples.svelte
  gesturesWithOtherResult: "Gestures that now do something else",
  before: "Before:",
  after: "After:",
  when: "When",

  // CoverageLine.svelte
  notRecordedOne: (mapping: string): string => `You have not played \`${mapping}\` recently`,
  notRecordedMany: (count: number): string =>
    `You have not played ${count} of the changed mappings recently`,
  notRecorded: "Not recorded",
  andMore: (count: number): string => `and ${count} more`,
  gesturesTried: "Gestures tried",
  tryingGestures: "Trying gestures",
  sameControls: (shown: number, all: number): string =>
    `${shown === 1 ? "This gesture stands" : `These ${shown} gestures stand`} for all ` +
    `${formatNumber(all)}: the others use the same ${shown === 1 ? "control" : "controls"}.`,
  more: (count: number): string => `${count} more`,
  gestureLimits: "Gesture limits",

  // EditPlan.svelte
  useTheseChanges: "Use these changes",
  editHint: "Only the changes that you keep are applied.",
  planChanges: "Changes in the plan",
  openInEditor: "Open in the editor",
  nothingSelected: "Nothing selected.",
  checkingChanges: "Checking the changes",
  cancel: "Cancel",
  applyChanges: "Apply changes",
  applySome: (count: number, total: number): string => `Apply ${count} of ${total} changes`,

  // Examples.svelte
  atMs: (ms: number): string => ` at ${ms} ms`,
  passes: "passes",
  fails: "fails",
  expects: (expected: string): string => `→ expects ${expected}`,

  // Findings.svelte
  conflict: "Conflict",
  warning: "Warning",
  note: "Note",
  row: (number: number): string => `mapping ${number}`,
  allModes: "All modes",
  existingFindings: (count: number): string =>
    `${count} existing ${count === 1 ? "finding" : "findings"}`,

  // Gesture.svelte
  gesture: "Gesture",
  copied: "Copied",
  copyAsScript: "Copy as script",
  copyScript: "Copy as a script for `conductor simulate -`",

  // ImpactLine.svelte
  outputs: "Outputs",
  modesThatCanBeActive: "Modes that can be active",
  removedModes: "Removed modes",
  variables: "Variables",
  settings: "Settings",
  impact: "What may change",
  why: "Why",
  everythingElseUnchanged: "Everything else is proven to stay the same.",

  // MomentCard.svelte
  later: (time: string): string => `${time} later`,
  earlier: (time: string): string => `${time} earlier`,
  input: "Input",
  noInput: "none (time passes)",
  beforeLabel: "Before",
  afterLabel: "After",
  nothing: "nothing",

  // PlanAdvice.svelte
  planStale:
    "The config has changed since this plan was proposed, so it cannot be applied. " +
    "Ask for it again, or edit it to make the changes yourself.",

  // PlanProof.svelte
  examplesFail: (failing: number, total: number): string =>
    `${failing} of its ${total} examples ${failing === 1 ? "fails" : "fail"}`,
  examplePasses: "Its example passes",
  examplesPass: (count: number): string => `All ${count} of its examples pass`,
  changes: "Changes",
  chooseChanges: "Changes to apply",
  notApplied: "Not applied",
  notes: (count: number): string => (count === 1 ? "1 note" : `${count} notes`),
  proof: "Proof",
  planExamples: "Plan examples",
  show: "Show",
  inputWithPlan: "Your input with this plan",
  replayOfInput: "Replay of your input",
  configDiff: "config.toml, line by line",
  completePlan: "Complete",
  timeline: "Timeline",

  // ReplayLine.svelte
  replayChecked: "The replay matches what really happened",
  replayNotChecked:
    "The input was recorded with another config, so “before” is what the current config would do.",
  notCovered: "Not covered",

  // ReplayTimeline.svelte
  legend: "Legend",
  zoomOut: "Zoom out",
  zoomIn: "Zoom in",
  timelineLabel:
    "Position in your input; arrow keys move, Shift+arrow keys jump to the next change",
  silenceLength: (time: string): string => `${time} without input`,
  previousChange: "Previous change",
  nextChange: "Next change",
  otherEventsNotShown: (count: number): string =>
    `${count === 1 ? "1 other event is" : `${formatNumber(count)} other events are`} not shown.`,

  // cause.ts
  nothingPlayedChanges: "Nothing that you play changes.",
  tapWaits: (control: string, untilRelease: boolean, ms: number): string => {
    const atLeast = untilRelease ? `, at the earliest after ${ms} ms` : ` after ${ms} ms`;
    const when = (untilRelease ? " when you release it" : "") + (ms ? atLeast : "");
    return `A tap of ${control} now acts${when}. All other controls stay the same.`;
  },
  affectsOnly: (controls: string): string =>
    `This affects only ${controls}. All other controls stay the same.`,

  // coverage.ts
  stoppedAtDecision: "Stopped when the plan was decided.",
  stoppedAtLimit: "Stopped at the limit; longer gestures were not tried.",
  triedEveryGesture: (depth: number): string =>
    `Tried every gesture with up to ${depth} ${depth === 1 ? "touch" : "touches"}.`,
  triedGestures: (count: number): string =>
    `Tried ${formatNumber(count)} ${count === 1 ? "gesture" : "gestures"} ` +
    "with the affected controls",
  triedSoFar: (count: number): string =>
    `Tried ${formatNumber(count)} ${count === 1 ? "gesture" : "gestures"} ` +
    "with the affected controls so far",
  noneDiffers: (gestures: string): string => `${gestures}; all still do the same`,
  someDiffer: (gestures: string, count: number): string =>
    `${gestures}; ${formatNumber(count)} now ${count === 1 ? "does" : "do"} something else`,

  // gesture.ts, impact.ts
  noteNumber: (number: string | number): string => `note ${number}`,
  buttonNamed: (name: string | number): string => `button ${name}`,
  programNumber: (number: string | number): string => `program ${number}`,
  named: (name: string, number: string): string => `${name} (${number})`,

  // gesture.ts
  tapControl: (control: string): string => `tap ${control}`,
  holdControl: (control: string, time: string): string => `hold ${control} for ${time}`,
  pressControl: (control: string): string => `press ${control}`,
  releaseControl: (control: string): string => `release ${control}`,
  bendTo: (value: string): string => `bend to ${value}`,
  moveTo: (stick: string, value: string): string => `move ${stick} to ${value}`,
  pullTo: (trigger: string, value: string): string => `pull ${trigger} to ${value}`,
  pressureOf: (value: string): string => `pressure ${value}`,
  ofNote: (note: string): string => `of ${note}`,
  channelShort: (channel: string): string => `ch ${channel}`,
  inMode: (mode: string): string => `in mode ${mode}`,
  atVelocity: (value: string): string => `at velocity ${value}`,
  onSource: (device: string): string => `on ${device}`,
  appInForeground: (app: string): string => `${app || "no app"} in the foreground`,

  // impact.ts
  withChannel: (control: string, channel: number): string => `${control} ch ${channel}`,
  pressureOfNote: (note: string | number): string => `the pressure of note ${note}`,
  anyParameter: (kind: string): string => `any ${kind}`,
  gamepadTriggerNamed: (name: string | number): string => `the ${name} trigger`,
  stickAxis: (axis: string | number): string => `the stick axis ${axis}`,
  onDevicesWithoutName: "on devices without a name",
  onDevice: (device: string): string => `on ${device}`,
  inModes: (count: number, modes: string): string =>
    `in ${count === 1 ? "mode" : "modes"} ${modes}`,
  inProfile: (profile: string): string => `in profile ${profile}`,
  anyNote: "any note",
  anyCc: "any CC",
  pressureOfAnyNote: "the pressure of any note",
  pressure: "the pressure",
  pitchBend: "the pitch bend",
  anyProgram: "any program",
  anyButton: "any button",
  anyGamepadTrigger: "any gamepad trigger",
  anyStick: "any stick",
  anyOscMessage: "any OSC message",

  // plan.controller.svelte.ts
  approved: "Approved. It runs when the agent asks again.",
  done: (plan: string): string => `Done: ${plan}`,
  applied: "Applied",
  discarded: (plan: string): string => `Discarded: ${plan}`,
  appliedInPart: "Applied in part",
  askAgainMessage: (description: string): string =>
    `The plan “${description}” can no longer be applied. Please propose it again ` +
    "for the current config.",
  undo: "Undo",

  // timeline.ts
  unchanged: "unchanged",
  newFiring: "new",
  timePasses: "time passes",
  noLongerFires: "no longer fires",
  atAnotherTime: "at another time",
  moment: (time: string, input: string, before: string, after: string): string =>
    `${time}: ${input}. Before: ${before}. After: ${after}.`,

  // words.ts
  youInWindow: "You, in the window",
  youInBrowser: "You, in a browser",
  youInTerminal: "You, in a terminal",
  youInChat: "You, in the chat",
  theCommandLine: "the command line",
  theAssistant: "the assistant",
  agentOverMcp: "an agent over MCP",
  programOnSocket: "a program on the socket",
  programOverHttp: "a program over HTTP",
  agentOnOtherComputer: "an agent on another computer",
  aControl: "a control",
  commandLineLabel: "The command line",
  process: (pid: number): string => `process ${pid}`,
  pending: "Pending",
  approvedLabel: "Approved",
  discardedLabel: "Discarded",
  expiredLabel: "Expired",
  outOfDate: "Out of date",
  failedLabel: "Failed",
  unknownLabel: "Unknown",
  editedByYou: "Edited by you",
  undone: "Undone",
  oneExample: "1 example",
  examples: (count: number): string => `${count} examples`,
  applyAndBreak: (examples: string): string => `Apply and break ${examples}`,
  apply: "Apply",
  sendsSysex: "Sends SysEx",
  sysexRisk: "It sends a message that can change the settings of your device.",
  privileged: "Privileged",
  privilegedRisk:
    "It can run programs or reach beyond Conductor. Only you can approve it, here or " +
    "in a terminal.",
  runsOnce: "Runs once",
  runsOnceRisk: "It runs an action now and does not change the config.",
  exampleFails: "Example fails",
  exampleFailsRisk: "At least one of its own examples fails.",
  breaks: (examples: string): string => `Breaks ${examples}`,
  breaksRisk: "Saved examples would fail.",
  conflicts: (count: number): string => (count === 1 ? "1 conflict" : `${count} conflicts`),
  conflictsRisk: "Mappings would affect each other.",
  warnings: (count: number): string => (count === 1 ? "1 warning" : `${count} warnings`),
  conflictsLabel: "Conflicts",
  warningsLabel: "Warnings",
  conflictsAndWarnings: "Conflicts and warnings",
  warningsRisk: "Read the warnings before you apply it.",
  andMoreChanges: (first: string, count: number): string =>
    `${first}, and ${count} more ${count === 1 ? "change" : "changes"}`,
  configOnly: "Config",
  configOnlyRisk: "It only changes the config, and you can undo it.",
  proposeItAgain: "Propose it again",
  askAgain: (requester: string): string => `Ask ${requester} to propose it again`,
  expired: (again: string, editable: boolean): string =>
    "Nobody decided on the plan in time, so nothing changed. " +
    `${again}${editable ? ", or use its changes yourself" : ""}.`,
  stale: (again: string): string =>
    "The config has changed since the plan was proposed, so its proof is out of date " +
    `and nothing changed. ${again}, or use its changes yourself.`,
  unknown:
    "The plan was started, but its outcome is unknown. Check whether it ran before you ask again.",
  failed: (reason: string): string => `${reason} Fix the problem, then ask again.`,
  appliedAsEdit: "You applied its changes as your own edit.",
  appliedSomeAsEdit: (count: string, total: string): string =>
    `You applied ${count} of ${total} changes as your own edit.`,
  appliedSomeChanges: "You applied some of its changes. The others were discarded.",
  youDiscarded: "You discarded this plan.",
  someoneDiscarded: (name: string): string => `${name} discarded this plan.`,
  discardReason: (reason: string): string => `Reason: ${reason}`,
  appliedThenUndone: "The plan was applied, then undone.",
  appliedAndConfigChanged: "The plan was applied. The config has changed since then.",
  planApplied: "The plan was applied.",
  proposedAndApplied: (requester: string): string => `Proposed by ${requester}, applied by you.`,
  proposedBy: (requester: string): string => `Proposed by ${requester}.`,
  appliedPart: (count: number, total: number): string =>
    `You applied ${count} of ${total} changes.`,
  actionRan: "The action ran.",
  itFailed: "It failed.",
  justNow: "just now",
  minutesAgo: (value: number): string => `${value} min ago`,
  hoursAgo: (value: number): string => `${value} h ago`,
});
