/** German texts of `views`. */
import type { strings } from "./strings";

export const german: typeof strings = {
  // FirstSteps.svelte
  firstSteps: "Erste Schritte",
  plugIn: "Anschließen",
  press: "Drücken",
  map: "Zuweisen",
  close: "Schließen",
  skip: "Überspringen",
  saveAndTry: "Speichern und ausprobieren",

  // PausedBanner.svelte
  mappingsPaused: "Die Mappings sind angehalten.",
  mappingsPausedHint: "Bedienelemente bewirken bis zum Fortsetzen nichts.",
  resume: "Fortsetzen",

  // index.ts
  mappings: "Mappings",
  chat: "Chat",
  controller: "Controller",
  learn: "Lernen",
  monitor: "Monitor",
  plans: "Pläne",
  modes: "Modi",
  profiles: "Profile",
  devices: "Geräte",
  knowledge: "Wissen",
  history: "Verlauf",
  activity: "Aktivität",
  settings: "Einstellungen",
};
