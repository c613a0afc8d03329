/** User-visible strings of `views`, in one place for translation. */
import { translatable } from "$language/language.svelte";

export const strings = translatable("views", {
  // FirstSteps.svelte
  firstSteps: "First steps",
  plugIn: "Plug in",
  press: "Press",
  map: "Map",
  close: "Close",
  skip: "Skip",
  saveAndTry: "Save and try it",

  // PausedBanner.svelte
  mappingsPaused: "Mappings are paused.",
  mappingsPausedHint: "Your controls do nothing until you resume.",
  resume: "Resume",

  // index.ts
  mappings: "Mappings",
  chat: "Chat",
  controller: "Controller",
  learn: "Learn",
  monitor: "Monitor",
  plans: "Plans",
  modes: "Modes",
  profiles: "Profiles",
  devices: "Devices",
  knowledge: "Knowledge",
  history: "History",
  activity: "Activity",
  settings: "Settings",
});
