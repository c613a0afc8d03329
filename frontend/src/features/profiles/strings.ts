/** User-visible strings of `features/profiles`, in one place for translation. */
import { translatable } from "$language/language.svelte";

export const strings = translatable("features/profiles", {
  // FrontCard.svelte
  foregroundApp: "Foreground app",
  cannotDetectForegroundApp: "Conductor cannot detect the foreground app",
  noDetectionHint: (reason: string): string =>
    `${reason}. Your profiles are kept, but do not become active automatically. A ` +
    "control with “Change mode” switches manually.",
  foregroundNow: (title: string): string => `Foreground app${title && ` · ${title}`}`,
  noForegroundAppYet: "No foreground app yet",
  noForegroundAppHint: "Switch to the app that you want a profile for. It appears here.",
  hasAProfile: "Has a profile",
  profileIsOff: "Profile is off",
  show: "Show",
  createProfile: "Create profile",
  recentApps: "Recent apps:",
  createFor: (app: string): string => `Create a profile for ${app}`,

  // MatchFields.svelte
  appHelp: "Select an app, or enter the name of its program, such as obs or resolve.exe.",
  bundleIdHelp: "macOS only, for example com.apple.Safari.",
  titleHelp: "A part of the title; regular expressions work too. Empty: any title.",
  matches: "Matches",
  doesNotMatch: "Does not match",
  anyApp: "Any app",
  notSet: "Not set",

  // NewProfile.svelte
  newProfileHint:
    "Select the app, or enter a part of its window title, that makes the profile active.",
  appMissing: "Select an app or enter a window title first.",
  cancel: "Cancel",

  // ProfileList.svelte
  profiles: "Profiles",
  active: "Active",
  off: "Off",
  modeNamed: (mode: string): string => `mode ${mode}`,
  mappingCount: (count: number): string =>
    count === 0 ? "no mappings yet" : count === 1 ? "1 mapping" : `${count} mappings`,

  // ProfilePanel.svelte
  nameMissing: "A profile needs a name.",
  nameTaken: "Another profile has this name.",
  profileNamed: (profile: string): string => `Profile ${profile}`,
  matchesForegroundApp: "Matches the foreground app",
  on: "On",
  name: "Name",
  mode: "Mode",
  becomesActiveWithApp: "Becomes active with the app.",
  keepCurrentMode: "Keep the current mode",
  becomesActiveWith: "Becomes active with",
  app: "App",
  mappings: "Mappings",
  mappingsPrecedence: "take precedence over those of the mode",
  openInMappings: "Open in Mappings",
  addMapping: "Add mapping",
  noMappingsHint: "No mappings yet: the profile only switches the mode.",
  doesNothingHint: "No mappings yet, and no mode: the profile does nothing. Add a mapping to it.",
  deleteButton: "Delete…",

  // match.ts
  bundleId: "Bundle id",
  windowTitle: "Window title",
  titleMatches: (pattern: string): string => `title “${pattern}”`,

  // ProfilesView.svelte
  added: (name: string): string => `Added a profile for ${name}`,
  renamed: (name: string, newName: string): string => `Renamed the profile ${name} to ${newName}`,
  appChanged: (name: string): string => `Changed the app of the profile ${name}`,
  deleteQuestion: (name: string): string => `Delete the profile ${name}?`,
  mappingDeletedToo: "Its mapping is deleted too.",
  mappingsDeleted: (count: number): string => `Its ${count} mappings are deleted too.`,
  delete: "Delete",
  deleted: (name: string): string => `Deleted the profile ${name}`,
  profileCount: (count: number): string => (count === 1 ? "1 profile" : `${count} profiles`),
  note: "Other mappings for each app",
  newProfile: "New profile",
  couldNotLoadProfiles: "Could not load the profiles",
  loadingTheProfiles: "Loading the profiles",
  noProfilesTitle: "Other mappings for each app",
  noProfilesHint:
    "While its app is in the foreground, a profile adds its own mappings and can " +
    "switch the mode. Switch to an app, then create its profile here.",
  noProfilesWithoutDetectionHint:
    "While its app is in the foreground, a profile adds its own mappings and can " +
    "switch the mode. A profile made now waits until Conductor can detect apps.",
  noMatches: "No matches",
  tryAnotherSearch: "Try another search.",
  widthList: "List width",
  switched: (name: string, enabled: boolean): string =>
    `Switched the profile ${name} ${enabled ? "on" : "off"}`,
  modeChanged: (name: string): string => `Changed the mode of the profile ${name}`,
});
