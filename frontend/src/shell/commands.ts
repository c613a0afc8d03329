/** The entries of the command palette that are available in every view. */
import { listSettingFields, settingKeywords, settingLabel } from "$forms/changes/settings";
import type { State } from "$lib/state/state";
import type { SettingsPage } from "$lib/state/navigation";
import type { PaletteItem } from "$lib/state/ui.svelte";
import { views } from "$views";
import { buildConfigItems } from "./config-items";
import { COMMAND_KEYWORDS, MODE_KEYWORDS, SETTINGS_KEYWORDS, VIEW_KEYWORDS } from "./keywords";
import { buildNewMappingItems } from "./new-mappings";
import { strings } from "./strings";

type SettingsTitle = Extract<keyof typeof strings, `settings${string}`>;
const SETTINGS_PAGES: readonly [page: SettingsPage, title: SettingsTitle, section?: string][] = [
  ["general", "settingsGeneral"],
  ["io", "settingsInput"],
  ["general", "settingsConfigFile", "file"],
  ["voice", "settingsVoice", "voice"],
  ["agents", "settingsAgents", "mcp"],
  ["agents", "settingsRemote", "remote"],
  ["agents", "settingsA2a", "a2a"],
  ["providers", "settingsProviders"],
  ["abilities", "settingsTools"],
  ["servers", "settingsServers"],
  ["knowledge", "settingsKnowledge"],
  ["knowledge", "settingsManuals"],
  ["skills", "settingsSkills"],
];

export function buildPaletteItems(state: State): PaletteItem[] {
  return [
    ...viewItems(state),
    ...settingsItems(state),
    ...settingItems(state),
    ...modeItems(state),
    ...commandItems(state),
    ...buildConfigItems(state),
    ...buildNewMappingItems(state),
  ];
}

function viewItems({ ui }: State): PaletteItem[] {
  return views.map((view) => ({
    id: `view:${view.id}`,
    group: strings.goTo,
    title: view.title,
    keywords: VIEW_KEYWORDS[view.id] ?? "",
    shortcut: `g ${view.shortcut}`,
    run: () => ui.navigate(view.id),
  }));
}

/** The pages of the settings, with the words by which people look for them. */
function settingsItems({ ui }: State): PaletteItem[] {
  return SETTINGS_PAGES.map(([page, title, section]) => ({
    id: `settings:${page}:${strings[title]}`,
    group: strings.settings,
    title: strings[title],
    keywords: SETTINGS_KEYWORDS[title] ?? "",
    run: () => ui.navigate("settings", { kind: "page", page, ...(section ? { section } : {}) }),
  }));
}

/** Each setting, which the settings show like a search for it. */
function settingItems({ ui }: State): PaletteItem[] {
  return listSettingFields().map(({ path }) => ({
    id: `setting:${path.join(".")}`,
    group: strings.settings,
    isOnlySearched: true,
    title: settingLabel(path),
    keywords: settingKeywords(path),
    run: () => ui.navigate("settings", { kind: "search", text: settingLabel(path) }),
  }));
}

function modeItems(state: State): PaletteItem[] {
  return state.modes.list.map(({ name, rows, active }) => ({
    id: `mode:${name}`,
    group: active ? strings.activeMode : strings.switchMode,
    title: name,
    hint: strings.mappingCount(rows),
    keywords: MODE_KEYWORDS,
    ...(active ? { isOnlySearched: true as const } : {}),
    run: () => (active ? state.ui.navigate("modes") : void state.modes.switch(name)),
  }));
}

function commandItems({ app, chat, config, devices, ui }: State): PaletteItem[] {
  const item = (id: string, title: string, run: () => unknown, shortcut?: string): PaletteItem => ({
    id,
    group: strings.commands,
    title,
    keywords: COMMAND_KEYWORDS[id] ?? "",
    run: () => void run(),
    ...(shortcut ? { shortcut } : {}),
  });
  return [
    item(
      "map",
      strings.newMapping,
      () => ui.navigate("mappings", { kind: "draft", start: {} }),
      "n",
    ),
    item("mode", strings.newMode, () => ui.navigate("modes", { kind: "new" })),
    item("profile", strings.newProfile, () => ui.navigate("profiles", { kind: "new" })),
    item("backup", strings.backUp, () =>
      ui.navigate("settings", { kind: "page", page: "general", section: "backup" }),
    ),
    item(
      "ask",
      strings.askAssistant,
      () => {
        ui.navigate("chat");
        chat.focus++;
      },
      "mod+l",
    ),
    item("talk", strings.newChat, () => ui.navigate("chat", { kind: "message", text: "" })),
    item("sheet", strings.cheatSheet, () => ui.navigate("controller", { kind: "cheat_sheet" })),
    item("first", strings.firstSteps, () => (ui.firstStepsOpen = true)),
    item("panic", strings.panicCommand, app.panic, "mod+."),
    item("pause", app.paused ? strings.resumeMappings : strings.pauseMappings, () =>
      app.setPaused(!app.paused),
    ),
    item("undo", strings.undoLastChange, config.undo, "mod+z"),
    item("redo", strings.redo, config.redo, "mod+shift+z"),
    item("rescan", strings.scanForDevices, () =>
      app.attempt(() => devices.rescan(), strings.scanningForDevices),
    ),
    item("restart", strings.restartEngine, app.restartEngine),
    item("dark", strings.themeDark, () => config.setTheme("dark")),
    item("light", strings.themeLight, () => config.setTheme("light")),
    item("system", strings.themeSystem, () => config.setTheme("system")),
    item("language", strings.languageSystem, () => config.setLanguage("system")),
    item("english", strings.languageOf("English"), () => config.setLanguage("en")),
    item("german", strings.languageOf("Deutsch"), () => config.setLanguage("de")),
    item("keys", strings.keyboardShortcuts, () => (ui.shortcutsOpen = true), "?"),
  ];
}
