/** German texts of `features/controller`. */
import type { strings } from "./strings";

export const german: typeof strings = {
  // ActionPalette.svelte
  actionsToDragOntoControl: "Aktionen, die sich auf ein Bedienelement ziehen lassen",
  mapTo: (action, target) => `${action}: ${target} zuweisen`,
  selectControlFirst: (action) => `${action}: zuerst ein Bedienelement auswählen`,

  // CheatSheet.svelte
  saved: (path) => `Gespeichert: ${path}`,
  cheatSheet: "Spickzettel",
  sheetFileName: "Spickzettel",
  sheetIntro: "Was jedes Bedienelement in einem Modus bewirkt, zum Ausdrucken und Danebenlegen.",
  mode: "Modus",
  sheetDescription: (title, mode) => `Was die Bedienelemente von ${title} in ${mode} bewirken`,
  saveAsSvg: "Als SVG speichern",
  saveAsPdf: "Als PDF speichern",
  printOrSaveAsPdf: "Drucken oder als PDF speichern",

  // ControlPicker.svelte
  playControlHint:
    "Ein Bedienelement mit der Maus oder mit den darauf stehenden Buchstaben spielen.",
  clickControlHint: "Das Gerät berühren oder hier ein Bedienelement anklicken.",

  // DevicePicture.svelte
  drawnAsPlayed: "Die Bedienelemente spielen: Jedes wird hier gezeichnet.",

  // AffectedControls.svelte
  affectedControls: "Betroffene Bedienelemente",

  // ControlPanel.svelte
  onChannel: (channel) => `, Kanal ${channel}`,
  mappingsOf: (part) => `Mappings von ${part}`,
  close: "Schließen",
  value: (value) => `Wert ${value}`,
  noInputYet: "Noch keine Eingabe",
  inAllModes: "in allen Modi",
  profile: (name) => `Profil ${name}`,
  edit: (mapping) => `${mapping} bearbeiten`,
  notMapped: "Nicht zugewiesen",
  notMappedHint: (part, mode) =>
    `Ein Mapping für ${part} in ${mode} hinzufügen oder eine Aktion darauf ablegen.`,
  noTriggerFits: "Kein Auslöser hört auf dieses Bedienelement.",
  addMapping: "Mapping hinzufügen",
  loses: "unterliegt",

  // RenameControl.svelte
  rename: (control) => `${control} umbenennen`,
  renameHint: "Der Name erscheint überall: in Mappings, im Monitor und im Chat.",
  controlName: "Name",
  printedName: (name) => `Ursprünglicher Name: ${name}`,
  nameMissing: "Einen Namen eingeben.",
  controlNameTaken: (name) =>
    `Ein anderes Bedienelement heißt „${name}“. Einen anderen Namen wählen.`,
  resetName: (name) => `Zurück zu ${name}`,
  cancel: "Abbrechen",
  renameControl: "Umbenennen",
  renamed: (from, to) => `${from} in ${to} umbenannt`,

  // PadShape.svelte
  more: (count) => `+${count} weitere`,

  // PanelHint.svelte
  selectAControl: "Ein Bedienelement auswählen",
  selectControlHint:
    "Seine Mappings in diesem Modus erscheinen hier. Zum Zuweisen eine Aktion von unten auf ein " +
    "Bedienelement ziehen.",
  pads: "Pads",
  padHint: "Maus: weiter oben klicken für mehr Stärke. Tasten: die Buchstaben auf den Pads,",
  padHard: "für mehr Stärke",
  transport: "Transport",
  to: "bis",
  knobsFaders: "Drehregler, Fader",
  dragHint: "Ziehen oder fokussieren und",
  largerStepsWith: ", mit",
  largerSteps: "in größeren Schritten",
  move: "Bewegen",
  arrowKeys: "Pfeiltasten",
  open: "Öffnen",
  hit: "Drücken",
  heldWhilePressed: ", gehalten, solange gedrückt",

  // PictureView.svelte
  pictureOf: (title) => `Bild von ${title}`,

  // VirtualPlayer.svelte
  tryAgain: "Erneut versuchen",
  drawingVirtualController: "Virtueller Controller wird gezeichnet",

  // gamepad.ts
  leftTrigger: "Linker Trigger",
  rightTrigger: "Rechter Trigger",
  leftStick: "Linker Stick",
  rightStick: "Rechter Stick",
  leftShoulder: "Linke Schultertaste",
  rightShoulder: "Rechte Schultertaste",

  // labels.ts
  hold: "halten",
  doubleTap: "doppelt tippen",
  chord: "Akkord",
  released: "loslassen",
  velocity: "Stärke",
  pressureGesture: "Druck",
  also: "auch",
  hasLoser: (control) => `${control} (ein Mapping unterliegt einem anderen)`,
  failedLast: (control) => `${control} (die Aktion ist fehlgeschlagen)`,
  nothingMapped: (part) => `${part}: nicht zugewiesen`,

  // picture.ts
  note: "Note",
  cc: "CC",
  nrpn: "NRPN",
  rpn: "RPN",
  pitchBend: "Pitchbend",
  pressure: "Druck",
  program: "Programm",
  sysex: "SysEx",
  trigger: "Trigger",

  // sheet.ts
  sheetTitle: (mode, device) => `${mode} auf ${device}`,
  mappedCount: (mapped, count) => `${mapped} von ${count} Bedienelementen sind zugewiesen`,

  // view.controller.svelte.ts
  notConnected: "nicht verbunden",
  builtIn: "eingebaut",

  // ControllerView.svelte
  profileTab: (name) => `Profil ${name}`,
  countHint: (count, scope) =>
    `${count === 1 ? "1 Mapping" : `${count} Mappings`} von ${scope}, auf allen Geräten, ohne ` +
    "die aller Modi",
  activeMode: (mode) => `${mode} · aktiv`,
  selectControl:
    "Zuerst ein Bedienelement auswählen, dann die Aktion, oder die Aktion auf ein Bedienelement " +
    "ziehen.",
  controller: "Controller",
  findControlOrAction: "Bedienelement oder Aktion finden",
  device: "Gerät",
  switchTo: (mode) => `Zu ${mode} wechseln`,
  bank: "Bank",
  variant: "Variante",
  mouseMode: "Mausmodus",
  play: "Spielen",
  map: "Zuweisen",
  couldNotDrawController: "Der Controller konnte nicht gezeichnet werden",
  drawingTheController: "Controller wird gezeichnet",
  playDevice: (title) => `${title} spielen`,
  playHint:
    "Conductor kennt dieses Gerät noch nicht. Die Pads drücken und die Regler drehen: Jedes " +
    "gespielte Bedienelement erscheint im Bild.",
};
