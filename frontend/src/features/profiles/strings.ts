/** The texts of features/profiles, for the page and for translators. */
export const strings = {
  // FrontCard.svelte
  foregroundApp: "Foreground app",
  conductorCannotDetectForegroundApp: "Conductor cannot detect the foreground app",
  noDetection: (reason: string): string =>
    `${reason}. Your profiles are kept, but do not become active automatically. A ` +
    "control with “Change mode” switches manually.",
  foregroundNow: (title: string): string => `Foreground app${title && ` · ${title}`}`,
  noForegroundAppYet: "No foreground app yet",
  switchToAppThatYou: "Switch to the app that you want a profile for. It appears here.",
  hasAProfile: "Has a profile",
  profileIsOff: "Profile is off",
  show: "Show",
  createProfile: "Create profile",
  recentApps: "Recent apps:",
  createFor: (app: string): string => `Create a profile for ${app}`,

  // MatchFields.svelte
  fileNameProgramInUpper: "The file name of the program, in upper or lower case.",
  macosOnlyForExampleCom: "macOS only, for example com.apple.Safari.",
  titleHelp: "A regular expression for the window title. Leave it empty to match any title.",
  matches: "Matches",
  doesNotMatch: "Does not match",
  anyProgram: "Any program",
  notSet: "Not set",

  // ProfileList.svelte
  profiles: "Profiles",
  active: "Active",
  off: "Off",

  // ProfilePanel.svelte
  profileNeedsName: "A profile needs a name.",
  anotherProfileHasThisName: "Another profile has this name.",
  profile: (profile: string): string => `Profile ${profile}`,
  matchesForegroundApp: "Matches the foreground app",
  foregroundAppUnknown: "Foreground app unknown",
  on: "On",
  name: "Name",
  mode: "Mode",
  becomesActiveWithApp: "Becomes active with the app.",
  keepCurrentMode: "Keep the current mode",
  app: "App",
  mappings: "Mappings",
  comeBeforeThoseMode: "take precedence over those of the mode",
  openInMappings: "Open in Mappings",
  noMappings:
    "No mappings yet: the profile only switches the mode. Add mappings in the " +
    "Mappings view, in the group of this profile.",
  delete_: "Delete…",

  // match.ts
  program: "Program",
  bundleId: "Bundle id",
  windowTitle: "Window title",
  titleMatches: (pattern: string): string => `title matches ${pattern}`,
  and: " and ",

  // ProfilesView.svelte
  addReason: (name: string): string => `Add a profile for ${name}`,
  added: (name: string): string => `Added a profile for ${name}`,
  nameProgram: "Enter the file name of the program under “Program”.",
  renameReason: (name: string, newName: string): string =>
    `Rename the profile ${name} to ${newName}`,
  renamed: (name: string, newName: string): string => `Renamed the profile ${name} to ${newName}`,
  appReason: (name: string): string => `Change the app of the profile ${name}`,
  deleteTheProfile: (name: string): string => `Delete the profile ${name}?`,
  mappingDeletedToo: "Its mapping is deleted too.",
  mappingsDeleted: (count: number): string => `Its ${count} mappings are deleted too.`,
  delete: "Delete",
  deleteReason: (name: string): string => `Delete the profile ${name}`,
  deleted: (name: string): string => `Deleted the profile ${name}`,
  profileCount: (count: number): string => (count === 1 ? "1 profile" : `${count} profiles`),
  otherMappingsForEachApp: "Other mappings for each app",
  addManually: "Add manually",
  couldNotLoadProfiles: "Could not load the profiles",
  loadingTheProfiles: "Loading the profiles",
  emptyTitle: "Other mappings for each app",
  empty:
    "While its app is in the foreground, a profile adds its own mappings and can " +
    "switch the mode. Switch to an app, then create its profile here.",
  noMatches: "No matches",
  tryAnotherSearch: "Try another search.",
  widthList: "List width",
  switchReason: (name: string, enabled: boolean): string =>
    `Switch the profile ${name} ${enabled ? "on" : "off"}`,
  switched: (name: string, enabled: boolean): string =>
    `Switched the profile ${name} ${enabled ? "on" : "off"}`,
  modeReason: (name: string): string => `Change the mode of the profile ${name}`,
  modeChanged: (name: string): string => `Changed the mode of the profile ${name}`,
};
