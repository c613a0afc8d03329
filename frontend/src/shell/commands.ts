/** What the command palette offers everywhere. */
import { scopeName } from "$lib/state/config.svelte";
import type { State } from "$lib/state/state";
import type { PaletteItem } from "$lib/state/ui.svelte";
import { views } from "$views";

export function commands(state: State): PaletteItem[] {
  return [...ways(state), ...modes(state), ...actions(state), ...mappings(state)];
}

function ways({ ui }: State): PaletteItem[] {
  return views.map((view) => ({
    id: `view:${view.id}`,
    group: "Go to",
    title: view.title,
    shortcut: `g ${view.shortcut}`,
    run: () => ui.navigate(view.id),
  }));
}

function modes(state: State): PaletteItem[] {
  return state.modes.list
    .filter((mode) => !mode.active)
    .map((mode) => ({
      id: `mode:${mode.name}`,
      group: "Switch mode",
      title: mode.name,
      hint: `${mode.rows} mappings`,
      run: () => void state.modes.switch(mode.name),
    }));
}

function actions({ app, chat, config, devices, ui }: State): PaletteItem[] {
  const item = (id: string, title: string, run: () => unknown, shortcut?: string): PaletteItem => ({
    id,
    group: "Do",
    title,
    run: () => void run(),
    ...(shortcut ? { shortcut } : {}),
  });
  return [
    item(
      "ask",
      "Ask the chat",
      () => {
        ui.navigate("chat");
        chat.focus++;
      },
      "mod+l",
    ),
    item("talk", "New chat", () => ui.navigate("chat", { kind: "message", text: "" })),
    item("sheet", "Cheat sheet of this mode", () =>
      ui.navigate("controller", { kind: "cheat_sheet" }),
    ),
    item("first", "First steps", () => (ui.firstStepsOpen = true)),
    item("panic", "Panic: let everything go", app.panic),
    item("pause", app.paused ? "Go on" : "Pause all controls", () => app.setPaused(!app.paused)),
    item("undo", "Undo the last change", config.undo, "mod+z"),
    item("redo", "Redo", config.redo, "mod+shift+z"),
    item("rescan", "Look for devices again", () =>
      app.attempt(() => devices.rescan(), "Looking for devices."),
    ),
    item("restart", "Restart the engine", app.restartEngine),
    item("dark", "Theme: dark", () => config.setTheme("dark")),
    item("light", "Theme: light", () => config.setTheme("light")),
    item("system", "Theme: as the system", () => config.setTheme("system")),
    item("keys", "Keyboard shortcuts", () => (ui.shortcutsOpen = true), "?"),
  ];
}

function mappings({ config, ui }: State): PaletteItem[] {
  if (!views.some((view) => view.id === "mappings")) return [];
  return config.rows.map(({ scope, index, mapping, words }) => ({
    id: `mapping:${scope}#${index}`,
    group: "Mappings",
    title: mapping.description || `${words.trigger} → ${words.action}`,
    hint: mapping.description
      ? `${words.trigger} → ${words.action} · ${scopeName(scope)}`
      : scopeName(scope),
    run: () => ui.navigate("mappings", { kind: "row", scope, index }),
  }));
}
