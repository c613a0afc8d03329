/** German texts of `features/profiles`. */
import type { strings } from "./strings";

export const german: typeof strings = {
  // FrontCard.svelte
  foregroundApp: "App im Vordergrund",
  cannotDetectForegroundApp: "Conductor kann die App im Vordergrund nicht erkennen",
  noDetectionHint: (reason) =>
    `${reason}. Die Profile bleiben, werden aber nicht automatisch aktiv. Ein Bedienelement mit ` +
    "„Modus wechseln“ wechselt von Hand.",
  foregroundNow: (title) => `App im Vordergrund${title && ` · ${title}`}`,
  noForegroundAppYet: "Noch keine App im Vordergrund",
  noForegroundAppHint: "Zu der App wechseln, die ein Profil bekommen soll. Sie erscheint hier.",
  hasAProfile: "Hat ein Profil",
  profileIsOff: "Profil ist aus",
  show: "Anzeigen",
  createProfile: "Profil erstellen",
  recentApps: "Zuletzt verwendete Apps:",
  createFor: (app) => `Ein Profil für ${app} erstellen`,

  // MatchFields.svelte
  appHelp: "Eine App wählen oder den Namen ihres Programms eingeben, etwa obs oder resolve.exe.",
  bundleIdHelp: "Nur macOS, z. B. com.apple.Safari.",
  titleHelp: "Ein Teil des Titels; auch reguläre Ausdrücke. Leer: jeder Titel.",
  matches: "Passt",
  doesNotMatch: "Passt nicht",
  anyApp: "Beliebige App",
  notSet: "Nicht gesetzt",

  // NewProfile.svelte
  newProfileHint:
    "Die App wählen oder einen Teil des Fenstertitels eingeben, mit dem das Profil aktiv wird.",
  appMissing: "Zuerst eine App wählen oder einen Fenstertitel eingeben.",
  cancel: "Abbrechen",

  // ProfileList.svelte
  profiles: "Profile",
  active: "Aktiv",
  off: "Aus",
  modeNamed: (mode) => `Modus ${mode}`,
  mappingCount: (count) =>
    count === 0 ? "noch keine Mappings" : count === 1 ? "1 Mapping" : `${count} Mappings`,

  // ProfilePanel.svelte
  nameMissing: "Ein Profil braucht einen Namen.",
  nameTaken: "Ein anderes Profil hat diesen Namen.",
  profileNamed: (profile) => `Profil ${profile}`,
  matchesForegroundApp: "Passt zur App im Vordergrund",
  on: "Ein",
  name: "Name",
  mode: "Modus",
  becomesActiveWithApp: "Wird mit der App aktiv.",
  keepCurrentMode: "Aktuellen Modus beibehalten",
  becomesActiveWith: "Wird aktiv mit",
  app: "App",
  mappings: "Mappings",
  mappingsPrecedence: "haben Vorrang vor denen des Modus",
  openInMappings: "In Mappings öffnen",
  addMapping: "Mapping hinzufügen",
  noMappingsHint: "Noch keine Mappings: Das Profil wechselt nur den Modus.",
  doesNothingHint:
    "Noch keine Mappings und kein Modus: Das Profil bewirkt nichts. Es braucht ein Mapping.",
  deleteButton: "Löschen …",

  // match.ts
  bundleId: "Bundle-ID",
  windowTitle: "Fenstertitel",
  titleMatches: (pattern) => `Titel „${pattern}“`,

  // ProfilesView.svelte
  added: (name) => `Ein Profil für ${name} hinzugefügt`,
  renamed: (name, newName) => `Das Profil ${name} in ${newName} umbenannt`,
  appChanged: (name) => `Die App des Profils ${name} geändert`,
  deleteQuestion: (name) => `Das Profil ${name} löschen?`,
  mappingDeletedToo: "Sein Mapping wird auch gelöscht.",
  mappingsDeleted: (count) => `Seine ${count} Mappings werden auch gelöscht.`,
  delete: "Löschen",
  deleted: (name) => `Das Profil ${name} gelöscht`,
  profileCount: (count) => (count === 1 ? "1 Profil" : `${count} Profile`),
  note: "Andere Mappings für jede App",
  newProfile: "Neues Profil",
  couldNotLoadProfiles: "Die Profile konnten nicht geladen werden",
  loadingTheProfiles: "Profile werden geladen",
  noProfilesTitle: "Andere Mappings für jede App",
  noProfilesHint:
    "Solange seine App im Vordergrund ist, fügt ein Profil eigene Mappings hinzu und kann den " +
    "Modus wechseln. Zu einer App wechseln, dann hier ihr Profil erstellen.",
  noProfilesWithoutDetectionHint:
    "Solange seine App im Vordergrund ist, fügt ein Profil eigene Mappings hinzu und kann den " +
    "Modus wechseln. Ein jetzt erstelltes Profil wartet, bis Conductor Apps erkennen kann.",
  noMatches: "Keine Treffer",
  tryAnotherSearch: "Eine andere Suche versuchen.",
  widthList: "Breite der Liste",
  switched: (name, enabled) => `Das Profil ${name} ${enabled ? "eingeschaltet" : "ausgeschaltet"}`,
  modeChanged: (name) => `Den Modus des Profils ${name} geändert`,
};
