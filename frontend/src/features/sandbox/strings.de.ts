/** German texts of `features/sandbox`. */
import type { strings } from "./strings";

export const german: typeof strings = {
  // sandbox.ts
  loadingPython: "Python wird geladen",
  loadingJavaScript: "JavaScript wird geladen",

  // frame.ts
  python: "Python",
  javascript: "JavaScript",
  tookLongerThan: (seconds) => `es hat mehr als ${seconds} s gedauert`,
  filesMissing: "seine Dateien fehlen in dieser Installation",
  couldNotBeLoaded: (language, why) =>
    `${language} konnte im Fenster von Conductor nicht geladen werden: ${why}`,
  charactersLeftOut: (count) => `[${count} weitere Zeichen ausgelassen]`,
  moreLeftOut: "[Ausgabe gekürzt]",
  timeLimit: (seconds) =>
    `Am Zeitlimit von ${seconds} s angehalten. Der Wert des letzten Ausdrucks ist verloren.`,
  runStopped: "Die Ausführung wurde angehalten.",
};
