/** The texts of views, for the page and for translators. */
export const strings = {
  // FirstSteps.svelte
  firstSteps: "First steps",
  plugIn: "Plug in",
  press: "Press",
  map: "Map",
  close: "Close",
  skip: "Skip",
  saveAndTry: "Save and try it",

  // Overlay.svelte, Overlays.svelte
  notLoaded: (title: string): string =>
    `${title} could not be loaded: the files of this page were not found. ` +
    "Conductor may have been updated or closed. Reload the page.",
  doesNotRespond: "Conductor does not respond. Start it, then reload the page.",
  reload: "Reload",
  questions: "A question to you",

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
};
