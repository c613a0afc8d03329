/** User-visible strings of `features/controller`, in one place for translation. */
import { translatable } from "$language/language.svelte";

export const strings = translatable("features/controller", {
  // ActionPalette.svelte
  actionsToDragOntoControl: "Actions to drag onto a control",
  mapTo: (action: string, target: string): string => `${action}: map ${target}`,
  selectControlFirst: (action: string): string => `${action}: select a control first`,

  // CheatSheet.svelte
  saved: (path: string): string => `Saved ${path}`,
  cheatSheet: "Cheat sheet",
  sheetFileName: "cheat sheet",
  sheetIntro: "What every control does in a mode, to print and keep next to the device.",
  mode: "Mode",
  sheetDescription: (title: string, mode: string): string =>
    `What the controls of ${title} do in ${mode}`,
  saveAsSvg: "Save as SVG",
  saveAsPdf: "Save as PDF",
  printOrSaveAsPdf: "Print or save as PDF",

  // ControlPicker.svelte
  playControlHint: "Play a control with the mouse or with the letters on it.",
  clickControlHint: "Touch the device, or click a control here.",

  // DevicePicture.svelte
  drawnAsPlayed: "Play its controls: each one is drawn here.",

  // AffectedControls.svelte
  affectedControls: "Affected controls",

  // ControlPanel.svelte
  onChannel: (channel: number): string => `, channel ${channel}`,
  mappingsOf: (part: string): string => `Mappings of ${part}`,
  close: "Close",
  value: (value: number): string => `value ${value}`,
  noInputYet: "No input yet",
  inAllModes: "in all modes",
  profile: (name: string): string => `profile ${name}`,
  edit: (mapping: string): string => `Edit ${mapping}`,
  notMapped: "Not mapped",
  notMappedHint: (part: string, mode: string): string =>
    `Add a mapping for ${part} in ${mode}, or drop an action on it.`,
  noTriggerFits: "No trigger listens to this control.",
  addMapping: "Add mapping",
  loses: "loses",

  // RenameControl.svelte
  rename: (control: string): string => `Rename ${control}`,
  renameHint: "The name is shown everywhere: in mappings, in the monitor and in the chat.",
  controlName: "Name",
  printedName: (name: string): string => `Original name: ${name}`,
  nameMissing: "Enter a name.",
  controlNameTaken: (name: string): string =>
    `Another control is called “${name}”. Choose a different name.`,
  resetName: (name: string): string => `Reset to ${name}`,
  cancel: "Cancel",
  renameControl: "Rename",
  renamed: (from: string, to: string): string => `Renamed ${from} to ${to}`,

  // PadShape.svelte
  more: (count: number): string => `+${count} more`,

  // PanelHint.svelte
  selectAControl: "Select a control",
  selectControlHint:
    "Its mappings in this mode appear here. To map it, drag an action from below onto a control.",
  pads: "Pads",
  padHint: "Mouse: click higher for more force. Keys: the letters on the pads,",
  padHard: "for more force",
  transport: "Transport",
  to: "to",
  knobsFaders: "Knobs, faders",
  dragHint: "Drag, or focus and",
  largerStepsWith: ", with",
  largerSteps: "in larger steps",
  move: "Move",
  arrowKeys: "Arrow keys",
  open: "Open",
  hit: "Press",
  heldWhilePressed: ", held while it is pressed",

  // PictureView.svelte
  pictureOf: (title: string): string => `Picture of ${title}`,

  // VirtualPlayer.svelte
  tryAgain: "Try again",
  drawingVirtualController: "Drawing the virtual controller",

  // gamepad.ts
  leftTrigger: "Left trigger",
  rightTrigger: "Right trigger",
  leftStick: "Left stick",
  rightStick: "Right stick",
  leftShoulder: "Left shoulder",
  rightShoulder: "Right shoulder",

  // labels.ts
  hold: "hold",
  doubleTap: "double tap",
  chord: "chord",
  released: "released",
  velocity: "velocity",
  pressureGesture: "pressure",
  also: "also",
  hasLoser: (control: string): string => `${control} (a mapping loses to another one)`,
  failedLast: (control: string): string => `${control} (the action failed)`,
  nothingMapped: (part: string): string => `${part}: not mapped`,

  // picture.ts
  note: "Note",
  cc: "CC",
  nrpn: "NRPN",
  rpn: "RPN",
  pitchBend: "Pitch bend",
  pressure: "Pressure",
  program: "Program",
  sysex: "SysEx",
  trigger: "Trigger",

  // sheet.ts
  sheetTitle: (mode: string, device: string): string => `${mode} on ${device}`,
  mappedCount: (mapped: number, count: number): string =>
    `${mapped} of ${count} controls are mapped`,

  // view.controller.svelte.ts
  notConnected: "not connected",
  builtIn: "built in",

  // ControllerView.svelte
  profileTab: (name: string): string => `Profile ${name}`,
  countHint: (count: number, scope: string): string =>
    `${count === 1 ? "1 mapping" : `${count} mappings`} of ${scope}, on all devices, without ` +
    "those of all modes",
  activeMode: (mode: string): string => `${mode} · active`,
  selectControl: "Select a control first, then the action, or drag the action onto a control.",
  controller: "Controller",
  findControlOrAction: "Find a control or action",
  device: "Device",
  switchTo: (mode: string): string => `Switch to ${mode}`,
  bank: "Bank",
  variant: "Variant",
  mouseMode: "Mouse mode",
  play: "Play",
  map: "Map",
  couldNotDrawController: "Could not draw the controller",
  drawingTheController: "Drawing the controller",
  playDevice: (title: string): string => `Play ${title}`,
  playHint:
    "Conductor does not know this device yet. Press its pads and turn its knobs: " +
    "each control that you play appears in the picture.",
});
