/** User-visible strings of `features/sandbox`, in one place for translation. */
import { translatable } from "$language/language.svelte";

export const strings = translatable("features/sandbox", {
  // sandbox.ts
  loadingPython: "Loading Python",
  loadingJavaScript: "Loading JavaScript",

  // frame.ts
  python: "Python",
  javascript: "JavaScript",
  tookLongerThan: (seconds: number): string => `it took more than ${seconds} s`,
  filesMissing: "its files are missing from this installation",
  couldNotBeLoaded: (language: string, why: string): string =>
    `${language} could not be loaded in Conductor's window: ${why}`,
  charactersLeftOut: (count: number): string => `[${count} more characters omitted]`,
  moreLeftOut: "[output truncated]",
  timeLimit: (seconds: number): string =>
    `Stopped at the time limit of ${seconds} s. The value of the last expression is lost.`,
  runStopped: "The run was stopped.",
});
