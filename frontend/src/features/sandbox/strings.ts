/** The texts of the code sandbox, for the page and for translators. */
export const strings = {
  // sandbox.ts
  loadingPython: "Python is being loaded",
  loadingJavaScript: "JavaScript is being loaded",

  // frame.ts
  python: "Python",
  javascript: "JavaScript",
  tookLongerThan: (seconds: number): string => `it took more than ${seconds} s`,
  filesMissing: "its files are missing from this installation",
  couldNotBeLoaded: (language: string, why: string): string =>
    `${language} could not be loaded in Conductor's window: ${why}`,
  charactersLeftOut: (count: number): string => `[${count} more characters are left out]`,
  moreLeftOut: "[more is left out]",
  timeLimit: (seconds: number): string =>
    `Ended after ${seconds} s, which is the limit; the value of the last expression is lost.`,
  runStopped: "The run was stopped.",
};
