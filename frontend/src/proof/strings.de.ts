/** German texts of `proof`. */
import { formatNumber } from "$language/format";
import type { strings } from "./strings";

export const german: typeof strings = {
  // CheckNote.svelte
  severity: { info: "Hinweis", warning: "Warnung", error: "Fehler" },

  // DeadEndNote.svelte
  deadEnd: (mode) =>
    `Aus ${mode} führt nichts zurück: Kein Mapping in ${mode} oder in allen Modi wechselt ` +
    "den Modus.",
  thereAndBack: "Hin und zurück, in allen Modi",

  // BrokenExamples.svelte
  breaksOne: "Bricht ein gespeichertes Beispiel",
  breaksMany: (count) => `Bricht ${count} gespeicherte Beispiele`,
  failingSavedExamples: "Gespeicherte Beispiele, die fehlschlagen",
  wouldDo: (fired) => `würde auslösen: ${fired || "nichts"}`,

  // Counterexamples.svelte
  gesturesWithOtherResult: "Gesten, die jetzt etwas anderes bewirken",
  before: "Vorher:",
  after: "Nachher:",
  when: "Wenn",

  // CoverageLine.svelte
  notRecordedOne: (mapping) => `\`${mapping}\` wurde in letzter Zeit nicht gespielt`,
  notRecordedMany: (count) =>
    `${count} der geänderten Mappings wurden in letzter Zeit nicht gespielt`,
  notRecorded: "Nicht aufgezeichnet",
  andMore: (count) => `und ${count} weitere`,
  gesturesTried: "Geprüfte Gesten",
  tryingGestures: "Gesten werden geprüft",
  sameControls: (shown, all) =>
    `${shown === 1 ? "Diese Geste steht" : `Diese ${shown} Gesten stehen`} für alle ` +
    `${formatNumber(all)}: Die anderen verwenden ` +
    `${shown === 1 ? "dasselbe Bedienelement" : "dieselben Bedienelemente"}.`,
  more: (count) => `${count} weitere`,
  gestureLimits: "Grenzen der Gesten",

  // EditPlan.svelte
  useTheseChanges: "Diese Änderungen verwenden",
  editHint: "Nur die behaltenen Änderungen werden angewendet.",
  planChanges: "Änderungen im Plan",
  openInEditor: "Im Editor öffnen",
  nothingSelected: "Nichts ausgewählt.",
  checkingChanges: "Änderungen werden geprüft",
  cancel: "Abbrechen",
  applyChanges: "Änderungen anwenden",
  applySome: (count, total) => `${count} von ${total} Änderungen anwenden`,

  // Examples.svelte
  atMs: (ms) => ` bei ${ms} ms`,
  passes: "bestanden",
  fails: "fehlgeschlagen",
  expects: (expected) => `→ erwartet ${expected}`,

  // Findings.svelte
  conflict: "Konflikt",
  warning: "Warnung",
  note: "Hinweis",
  row: (number) => `Mapping ${number}`,
  allModes: "Alle Modi",
  existingFindings: (count) =>
    count === 1 ? "1 bestehender Hinweis" : `${count} bestehende Hinweise`,

  // Gesture.svelte
  gesture: "Geste",
  copied: "Kopiert",
  copyAsScript: "Als Skript kopieren",
  copyScript: "Als Skript für `conductor simulate -` kopieren",

  // ImpactLine.svelte
  outputs: "Ausgänge",
  modesThatCanBeActive: "Modi, die aktiv sein können",
  removedModes: "Entfernte Modi",
  variables: "Variablen",
  settings: "Einstellungen",
  impact: "Was sich ändern kann",
  why: "Warum",
  everythingElseUnchanged: "Alles andere bleibt nachweislich gleich.",

  // MomentCard.svelte
  later: (time) => `${time} später`,
  earlier: (time) => `${time} früher`,
  input: "Eingabe",
  noInput: "keine (Zeit vergeht)",
  beforeLabel: "Vorher",
  afterLabel: "Nachher",
  nothing: "nichts",

  // PlanAdvice.svelte
  planStale:
    "Die Konfiguration hat sich seit dem Vorschlag geändert, daher lässt sich der Plan nicht " +
    "anwenden. Ihn neu anfordern, oder ihn bearbeiten und die Änderungen selbst machen.",

  // PlanProof.svelte
  examplesFail: (failing, total) =>
    failing === 1
      ? `${failing} von ${total} Beispielen schlägt fehl`
      : `${failing} von ${total} Beispielen schlagen fehl`,
  examplePasses: "Das Beispiel ist bestanden",
  examplesPass: (count) => `Alle ${count} Beispiele sind bestanden`,
  changes: "Änderungen",
  chooseChanges: "Anzuwendende Änderungen",
  notApplied: "Nicht angewendet",
  notes: (count) => (count === 1 ? "1 Hinweis" : `${count} Hinweise`),
  proof: "Nachweis",
  planExamples: "Beispiele des Plans",
  show: "Anzeigen",
  inputWithPlan: "Die Eingaben mit diesem Plan",
  replayOfInput: "Nachgespielte Eingaben",
  configDiff: "config.toml, Zeile für Zeile",
  completePlan: "Vollständig",
  timeline: "Zeitleiste",

  // ReplayLine.svelte
  replayChecked: "Das Nachspielen stimmt mit dem wirklichen Verlauf überein",
  replayNotChecked:
    "Die Eingaben wurden mit einer anderen Konfiguration aufgezeichnet. „Vorher“ ist daher, " +
    "was die aktuelle Konfiguration tun würde.",
  notCovered: "Nicht abgedeckt",

  // ReplayTimeline.svelte
  legend: "Legende",
  zoomOut: "Verkleinern",
  zoomIn: "Vergrößern",
  timelineLabel:
    "Position in den Eingaben; Pfeiltasten bewegen, Umschalt+Pfeiltasten springen zur nächsten " +
    "Änderung",
  silenceLength: (time) => `${time} ohne Eingabe`,
  previousChange: "Vorherige Änderung",
  nextChange: "Nächste Änderung",
  otherEventsNotShown: (count) =>
    count === 1
      ? "1 weiteres Ereignis wird nicht angezeigt."
      : `${formatNumber(count)} weitere Ereignisse werden nicht angezeigt.`,

  // cause.ts
  nothingPlayedChanges: "Nichts, was gespielt wird, ändert sich.",
  tapWaits: (control, untilRelease, ms) => {
    const atLeast = untilRelease ? `, frühestens nach ${ms} ms` : ` nach ${ms} ms`;
    const when = (untilRelease ? " beim Loslassen" : "") + (ms ? atLeast : "");
    return `Tippen auf ${control} wirkt jetzt${when}. Alle anderen Bedienelemente bleiben gleich.`;
  },
  affectsOnly: (controls) =>
    `Das betrifft nur ${controls}. Alle anderen Bedienelemente bleiben gleich.`,

  // coverage.ts
  stoppedAtDecision: "Beendet, als über den Plan entschieden wurde.",
  stoppedAtLimit: "An der Grenze beendet; längere Gesten wurden nicht geprüft.",
  triedEveryGesture: (depth) =>
    `Jede Geste mit bis zu ${depth} ${depth === 1 ? "Berührung" : "Berührungen"} geprüft.`,
  triedGestures: (count) =>
    `${formatNumber(count)} ${count === 1 ? "Geste" : "Gesten"} mit den betroffenen ` +
    "Bedienelementen geprüft",
  triedSoFar: (count) =>
    `Bisher ${formatNumber(count)} ${count === 1 ? "Geste" : "Gesten"} mit den betroffenen ` +
    "Bedienelementen geprüft",
  noneDiffers: (gestures) => `${gestures}; alle bewirken noch dasselbe`,
  someDiffer: (gestures, count) =>
    `${gestures}; ${formatNumber(count)} ` +
    `${count === 1 ? "bewirkt" : "bewirken"} jetzt etwas anderes`,

  // gesture.ts, impact.ts
  noteNumber: (number) => `Note ${number}`,
  buttonNamed: (name) => `Taste ${name}`,
  programNumber: (number) => `Programm ${number}`,
  named: (name, number) => `${name} (${number})`,

  // gesture.ts
  tapControl: (control) => `${control} antippen`,
  holdControl: (control, time) => `${control} ${time} halten`,
  pressControl: (control) => `${control} drücken`,
  releaseControl: (control) => `${control} loslassen`,
  bendTo: (value) => `Pitchbend auf ${value}`,
  moveTo: (stick, value) => `${stick} auf ${value} bewegen`,
  pullTo: (trigger, value) => `${trigger} auf ${value} ziehen`,
  pressureOf: (value) => `Druck ${value}`,
  ofNote: (note) => `von ${note}`,
  channelShort: (channel) => `Kanal ${channel}`,
  inMode: (mode) => `im Modus ${mode}`,
  atVelocity: (value) => `mit Anschlagstärke ${value}`,
  onSource: (device) => `an ${device}`,
  appInForeground: (app) => `${app || "keine App"} im Vordergrund`,

  // impact.ts
  withChannel: (control, channel) => `${control} Kanal ${channel}`,
  pressureOfNote: (note) => `der Druck von Note ${note}`,
  anyParameter: (kind) => `beliebiger ${kind}`,
  gamepadTriggerNamed: (name) => `der Trigger ${name}`,
  stickAxis: (axis) => `die Stick-Achse ${axis}`,
  onDevicesWithoutName: "an Geräten ohne eigenen Namen",
  onDevice: (device) => `an ${device}`,
  inModes: (count, modes) => (count === 1 ? `im Modus ${modes}` : `in den Modi ${modes}`),
  inProfile: (profile) => `im Profil ${profile}`,
  anyNote: "jede Note",
  anyCc: "jeder CC",
  pressureOfAnyNote: "der Druck jeder Note",
  pressure: "der Druck",
  pitchBend: "der Pitchbend",
  anyProgram: "jedes Programm",
  anyButton: "jede Taste",
  anyGamepadTrigger: "jeder Gamepad-Trigger",
  anyStick: "jeder Stick",
  anyOscMessage: "jede OSC-Nachricht",

  // plan.controller.svelte.ts
  approved: "Erlaubt. Es wird ausgeführt, wenn der Agent erneut fragt.",
  done: (plan) => `Erledigt: ${plan}`,
  applied: "Angewendet",
  discarded: (plan) => `Verworfen: ${plan}`,
  appliedInPart: "Teilweise angewendet",
  askAgainMessage: (description) =>
    `Der Plan „${description}“ lässt sich nicht mehr anwenden. Bitte noch einmal vorschlagen, ` +
    "für die aktuelle Konfiguration.",
  undo: "Rückgängig",

  // timeline.ts
  unchanged: "unverändert",
  newFiring: "neu",
  timePasses: "Zeit vergeht",
  noLongerFires: "löst nicht mehr aus",
  atAnotherTime: "zu anderer Zeit",
  moment: (time, input, before, after) =>
    `${time}: ${input}. Vorher: ${before}. Nachher: ${after}.`,

  // words.ts
  youInWindow: "Sie, im Fenster",
  youInBrowser: "Sie, in einem Browser",
  youInTerminal: "Sie, in einem Terminal",
  youInChat: "Sie, im Chat",
  theCommandLine: "die Kommandozeile",
  theAssistant: "der Assistent",
  agentOverMcp: "ein Agent über MCP",
  programOnSocket: "ein Programm am Socket",
  programOverHttp: "ein Programm über HTTP",
  agentOnOtherComputer: "ein Agent auf einem anderen Computer",
  aControl: "ein Bedienelement",
  commandLineLabel: "Die Kommandozeile",
  process: (pid) => `Prozess ${pid}`,
  pending: "Offen",
  approvedLabel: "Erlaubt",
  discardedLabel: "Verworfen",
  expiredLabel: "Abgelaufen",
  outOfDate: "Veraltet",
  failedLabel: "Fehlgeschlagen",
  unknownLabel: "Unbekannt",
  editedByYou: "Selbst bearbeitet",
  undone: "Rückgängig gemacht",
  oneExample: "1 Beispiel",
  examples: (count) => `${count} Beispiele`,
  applyAndBreak: (examples) => `Anwenden und ${examples} brechen`,
  apply: "Anwenden",
  sendsSysex: "Sendet SysEx",
  sysexRisk: "Es sendet eine Nachricht, die Einstellungen des Geräts ändern kann.",
  privileged: "Privilegiert",
  privilegedRisk:
    "Es kann Programme ausführen oder über Conductor hinaus wirken. Nur Sie können es erlauben, " +
    "hier oder in einem Terminal.",
  runsOnce: "Läuft einmal",
  runsOnceRisk: "Es führt jetzt eine Aktion aus und ändert die Konfiguration nicht.",
  exampleFails: "Beispiel schlägt fehl",
  exampleFailsRisk: "Mindestens eines der eigenen Beispiele schlägt fehl.",
  breaks: (examples) => `Bricht ${examples}`,
  breaksRisk: "Gespeicherte Beispiele würden fehlschlagen.",
  conflicts: (count) => (count === 1 ? "1 Konflikt" : `${count} Konflikte`),
  conflictsRisk: "Mappings würden einander beeinflussen.",
  warnings: (count) => (count === 1 ? "1 Warnung" : `${count} Warnungen`),
  conflictsLabel: "Konflikte",
  warningsLabel: "Warnungen",
  conflictsAndWarnings: "Konflikte und Warnungen",
  warningsRisk: "Die Warnungen vor dem Anwenden lesen.",
  andMoreChanges: (first, count) =>
    `${first}, und ${count} weitere ${count === 1 ? "Änderung" : "Änderungen"}`,
  configOnly: "Konfiguration",
  configOnlyRisk: "Es ändert nur die Konfiguration und lässt sich rückgängig machen.",
  proposeItAgain: "Erneut vorschlagen",
  askAgain: (requester) => `Neuen Vorschlag anfordern bei: ${requester}`,
  expired: (again, editable) =>
    "Niemand hat rechtzeitig über den Plan entschieden, daher hat sich nichts geändert. " +
    `${again}${editable ? ", oder die Änderungen selbst verwenden" : ""}.`,
  stale: (again) =>
    "Die Konfiguration hat sich seit dem Vorschlag geändert, daher ist der Nachweis veraltet und " +
    `nichts wurde geändert. ${again}, oder die Änderungen selbst verwenden.`,
  unknown:
    "Der Plan wurde begonnen, sein Ergebnis ist aber unbekannt. Vor einer neuen Anfrage prüfen, " +
    "ob er ausgeführt wurde.",
  failed: (reason) => `${reason} Das Problem beheben, dann erneut anfragen.`,
  appliedAsEdit: "Die Änderungen wurden als eigene Bearbeitung angewendet.",
  appliedSomeAsEdit: (count, total) =>
    `${count} von ${total} Änderungen wurden als eigene Bearbeitung angewendet.`,
  appliedSomeChanges: "Einige Änderungen wurden angewendet. Die anderen wurden verworfen.",
  youDiscarded: "Sie haben diesen Plan verworfen.",
  someoneDiscarded: (name) => `${name} hat diesen Plan verworfen.`,
  discardReason: (reason) => `Grund: ${reason}`,
  appliedThenUndone: "Der Plan wurde angewendet und dann rückgängig gemacht.",
  appliedAndConfigChanged:
    "Der Plan wurde angewendet. Die Konfiguration hat sich seitdem geändert.",
  planApplied: "Der Plan wurde angewendet.",
  proposedAndApplied: (requester) => `Vorgeschlagen von ${requester}, von Ihnen angewendet.`,
  proposedBy: (requester) => `Vorgeschlagen von: ${requester}.`,
  appliedPart: (count, total) => `Sie haben ${count} von ${total} Änderungen angewendet.`,
  actionRan: "Die Aktion wurde ausgeführt.",
  itFailed: "Es ist fehlgeschlagen.",
  justNow: "gerade eben",
  minutesAgo: (value) => `vor ${value} Min.`,
  hoursAgo: (value) => `vor ${value} Std.`,
};
