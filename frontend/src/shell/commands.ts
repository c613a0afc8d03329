/** The entries of the command palette that are available in every view. */
import { scopeName } from "$lib/scopes";
import type { State } from "$lib/state/state";
import type { PaletteItem } from "$lib/state/ui.svelte";
import { views } from "$views";
import { strings } from "./strings";

export function buildPaletteItems(state: State): PaletteItem[] {
  return [...viewItems(state), ...modeItems(state), ...commandItems(state), ...mappingItems(state)];
}

function viewItems({ ui }: State): PaletteItem[] {
  return views.map((view) => ({
    id: `view:${view.id}`,
    group: strings.goTo,
    title: view.title,
    shortcut: `g ${view.shortcut}`,
    run: () => ui.navigate(view.id),
  }));
}

function modeItems(state: State): PaletteItem[] {
  return state.modes.list
    .filter((mode) => !mode.active)
    .map((mode) => ({
      id: `mode:${mode.name}`,
      group: strings.switchMode,
      title: mode.name,
      hint: strings.mappingCount(mode.rows),
      run: () => void state.modes.switch(mode.name),
    }));
}

function commandItems({ app, chat, config, devices, ui }: State): PaletteItem[] {
  const item = (id: string, title: string, run: () => unknown, shortcut?: string): PaletteItem => ({
    id,
    group: strings.commands,
    title,
    run: () => void run(),
    ...(shortcut ? { shortcut } : {}),
  });
  return [
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
    item("panic", strings.panicCommand, app.panic),
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
    item("english", "English", () => config.setLanguage("en")),
    item("german", "Deutsch", () => config.setLanguage("de")),
    item("keys", strings.keyboardShortcuts, () => (ui.shortcutsOpen = true), "?"),
  ];
}

function mappingItems({ config, ui }: State): PaletteItem[] {
  if (!views.some((view) => view.id === "mappings")) return [];
  return config.rows.map(({ scope, index, mapping, words }) => ({
    id: `mapping:${scope}#${index}`,
    group: strings.mappings,
    title: mapping.description || `${words.trigger} → ${words.action}`,
    hint: mapping.description
      ? `${words.trigger} → ${words.action} · ${scopeName(scope)}`
      : scopeName(scope),
    run: () => ui.navigate("mappings", { kind: "row", scope, index }),
  }));
}
