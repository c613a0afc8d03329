/** User-visible strings of `features/learn`, in one place for translation. */
import { translatable } from "$language/language.svelte";

export const strings = translatable("features/learn", {
  // LearnPanel.svelte
  oneCandidateTitle: "Is this the one?",
  severalCandidatesTitle: "Which one do you mean?",
  noMatchYet: "No match yet",
  touchAControl: "Touch a control",
  heardIsShownHere: "The control that you play appears here, ready to be used.",
  startingToListen: "Starting to listen…",
  stopped: "Stopped",
  engineStoppedHint:
    "The engine is not running, so there is no input. Start it from the dot in the top bar.",
  pausedHint: "Controls are paused, but Learn still receives their input.",
  noInputHint: (device: string): string =>
    `No input? Check that ${device} is not muted or used by another program, or ` +
    "play the virtual controller.",
  theDevice: "the device",
  noDeviceHint:
    "No device is connected. Play the virtual controller with the mouse or " +
    "the keys shown on it.",
  lastInput: (input: string): string => `Last input: ${input}`,
  timeIsUp: "Time is up",
  listenToGoOn: "Press Listen, then play.",
  secondsLeft: "Seconds left",
  seconds: (seconds: number): string => `${seconds} s`,
  listen: "Listen",
  gesture: "Gesture",
  ignored: (count: number): string => `${count} pressure messages ignored.`,
  playAgainHint: "Choose one, or play another control or gesture.",
  mappingsStayActive: "Existing mappings stay active.",
  useVirtualController: "Use the virtual controller instead",

  // MapPanel.svelte
  save: "Save",
  allModes: "All modes",
  inMode: (mode: string): string => `In ${mode}`,
  newMapping: "New mapping",
  cancel: "Cancel",
  toggleTrigger: (open: boolean): string => `${open ? "Hide" : "Change"} trigger`,
  when: "When",
  activeIn: "Active in",
  checking: "Checking",
  fixMarkedFields: "Fix the marked fields.",
  fillIn: (fields: string): string => `Fill in: ${fields}`,
  noConflicts: "No conflicts.",
  do: "Do",
  allActions: "All actions",

  // ConnectDevice.svelte
  whichControllerDoYouUse: "Which controller do you use?",
  intro:
    "Conductor makes pads, knobs and buttons press keys, start apps, set the volume and send MIDI.",
  connectedDevices: "Connected devices",
  receivingInput: "Receiving input",
  connected: "Connected",
  notConnected: "Not connected",
  builtInHint: "Built in, always available",
  virtualControllerHint: "Built in. No device is connected, so you can start with this one",
  scanAgain: "Scan again",
  nextPressSomething: "Next: press something",
  playToContinue: "Or press any control to continue.",

  // Steps.svelte
  steps: "Steps",
  done: "done",

  // TryIt.svelte
  itWorks: "It works",
  theActionFailed: "The action failed",
  nowTryIt: "Now try it",
  itWorksHint:
    "Your first mapping is active. It works as long as Conductor runs, even if " +
    "this window is closed.",
  actionFailedHint: (reason: string): string =>
    `${reason ? `Reason: ${reason}. ` : ""}The mapping is saved, and works as soon as this ` +
    "is solved.",
  changeTheAction: "Change the action",
  tryItHint: "Use the control again and watch the light.",
  mapAnotherControl: "Map another control",
  showMyController: "Show my controller",

  // gestures.ts
  anything: "Anything",
  anythingHint: "Press, hold, double-tap, turn or move the control that you want to map.",
  tap: "Tap",
  tapHint: "Press a pad, key or button once.",
  hold: "Hold",
  holdHint: "Press a pad or button and hold it for a second.",
  doubleTap: "Double tap",
  doubleTapHint: "Press the same pad or button twice, quickly.",
  chord: "Chord",
  chordHint: "Press two or more together.",
  turnOrMove: "Turn or move",
  turnHint: "Turn a knob both ways, or move a fader, wheel or stick.",
  softAndHard: "Soft and hard",
  softAndHardHint: "Hit the same pad softly, then hard.",
  holdToSet: "only tapped so far; hold it to set the duration",
  tapTwiceToSet: "only tapped so far; tap twice to set the speed",

  // quick-mapping.svelte.ts
  mapped: (trigger: string): string => `Mapped ${trigger}`,
  aControl: "a control",
  changedMeanwhile: "The config changed in the meantime. Save again to add this mapping to it.",

  // LearnView.svelte
  learn: "Learn",
  note: "Touch a control, then choose what it does",
  chooseAnotherControl: "Choose another control",
});
