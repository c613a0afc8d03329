/** The entries of the command palette that are available in every view. */
import { LazyCode } from "$lib/lazy-code.svelte";
import { scopeName } from "$lib/scopes";
import type { ActionInput } from "$lib/client/types";
import type { State } from "$lib/state/state";
import type { ControlId } from "$lib/trigger";
import type { SettingsPage } from "$lib/state/navigation";
import type { PaletteItem } from "$lib/state/ui.svelte";
import { views } from "$views";
import { strings } from "./strings";

/** The names of kinds, which the first load of the page does without. */
export const kindNames = new LazyCode(() => import("$forms/names"));
void kindNames.load();

// The other words are in both languages, because many look for the English word in a German window.
const VIEW_KEYWORDS: Record<string, string> = {
  mappings:
    "mapping assign bind shortcut delete remove zuweisung zuordnung belegung tastenkürzel " +
    "löschen entfernen",
  chat: "assistant ai llm model ask assistent ki modell fragen",
  controller: "pads knobs faders picture layout virtual bild pult regler virtueller",
  learn: "midi learn detect lernen erkennen anlernen",
  monitor: "events input debug why ereignisse eingaben protokoll warum",
  plans: "approve proposals changes agents vorschläge genehmigen anwenden agenten",
  modes: "layers banks scenes ebenen bänke szenen modus",
  profiles: "apps foreground app-specific programme anwendungen vordergrund",
  devices: "midi gamepad joystick keyboard port connect usb bluetooth geräte anschluss verbinden",
  history: "versions undo restore versionen wiederherstellen rückgängig",
  activity: "audit log problems errors protokoll probleme fehler",
  knowledge: "documents sources manuals help dokumente quellen handbücher hilfe wissen",
  settings: "preferences options config configuration einstellungen optionen konfiguration",
};
const COMMAND_KEYWORDS: Record<string, string> = {
  map: "map a control assign bind create add neu neues zuweisen anlegen hinzufügen belegen",
  mode: "new add mode create layer bank scene neuer modus hinzufügen anlegen ebene",
  backup:
    "back up backup back-up export save copy config restore sichern sicherung exportieren kopie",
  panic: "stuck notes keys stop all off hängende noten tasten stopp",
  pause: "stop disable halt anhalten stoppen",
  undo: "revert back zurücknehmen",
  sheet: "print pdf export drucken ausdruck spickzettel",
  first: "tutorial help start onboarding hilfe einführung anleitung",
  rescan: "refresh devices midi gamepad neu suchen aktualisieren",
  keys: "hotkeys help tastatur hilfe",
  dark: "night appearance design dunkel",
  light: "day appearance design hell",
  language: "language sprache",
  german: "language sprache german deutsch",
  english: "language sprache english englisch",
};
const ACTION_KINDS: readonly ActionInput["type"][] = [
  "Keystroke",
  "Text",
  "Launch",
  "VolumeControl",
  "ModeChange",
  "PushToTalk",
  "Sequence",
  "MouseClick",
  "MouseMove",
  "MouseScroll",
  "SendMidi",
  "MidiForward",
  "OscSend",
  "Led",
  "Plugin",
  "Shell",
  "Delay",
  "Repeat",
  "Conditional",
  "SetVariable",
];
const SETTINGS_PAGES: readonly [
  page: SettingsPage,
  title: () => string,
  keywords: string,
  section?: string,
][] = [
  [
    "general",
    () => strings.settingsGeneral,
    "preferences theme language tray login window allgemein design sprache fenster start",
  ],
  [
    "io",
    () => strings.settingsInput,
    "engine midi osc port virtual shell desktop keys permission recording learn tasten " +
      "aufzeichnung",
  ],
  [
    "general",
    () => strings.settingsConfigFile,
    "config toml export import copy restore exportieren importieren kopie umziehen " +
      "wiederherstellen konfiguration datei",
    "file",
  ],
  [
    "voice",
    () => strings.settingsVoice,
    "voice microphone mic speech speak talk say dictate dictation push-to-talk transcription " +
      "whisper headset listen mikrofon mikro stimme sprechen sprich reden sagen diktieren " +
      "spracherkennung spracheingabe verschriftung zuhören kopfhörer",
    "voice",
  ],
  [
    "agents",
    () => strings.settingsAgents,
    "mcp agent agents claude cursor http token approval agenten genehmigung",
    "mcp",
  ],
  [
    "agents",
    () => strings.settingsRemote,
    "remote access phone mobile tablet laptop network lan wifi internet oauth sign-in login tls " +
      "https certificate fingerprint agent agents fernzugriff zugriff handy telefon netzwerk " +
      "wlan anmelden anmeldung zertifikat fingerabdruck agenten",
    "remote",
  ],
  [
    "agents",
    () => strings.settingsA2a,
    "a2a agent agents card token tasks http agenten aufgaben",
    "a2a",
  ],
  [
    "providers",
    () => strings.settingsProviders,
    "provider api key model llm openai ollama cost budget key storage passphrase anbieter " +
      "schlüssel schlüsselspeicher passwort modell kosten",
  ],
  [
    "abilities",
    () => strings.settingsTools,
    "assistant tools permissions web files code assistent werkzeuge berechtigungen dateien rechte",
  ],
  [
    "servers",
    () => strings.settingsServers,
    "mcp server integrations plugins obs home assistant integrationen erweiterungen",
  ],
  [
    "knowledge",
    () => strings.settingsKnowledge,
    "knowledge sources documents index wissen quellen dokumente",
  ],
  [
    "knowledge",
    () => strings.settingsManuals,
    "manual manuals pdf handbook instructions synth synthesizer documents files upload add " +
      "anleitung anleitungen handbuch handbücher bedienungsanleitung dokumente dateien " +
      "hochladen hinzufügen",
  ],
  ["skills", () => strings.settingsSkills, "skill skills agent install fähigkeiten installieren"],
];

export function buildPaletteItems(state: State): PaletteItem[] {
  return [
    ...viewItems(state),
    ...settingsItems(state),
    ...modeItems(state),
    ...commandItems(state),
    ...newMappingItems(state),
    ...namedControlItems(state),
    ...mappingItems(state),
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
  return SETTINGS_PAGES.map(([page, title, keywords, section]) => ({
    id: `settings:${page}:${title()}`,
    group: strings.settings,
    title: title(),
    keywords,
    run: () => ui.navigate("settings", { kind: "page", page, ...(section ? { section } : {}) }),
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

/** The kinds of action, each of which starts a new mapping. */
function newMappingItems({ ui }: State): PaletteItem[] {
  if (!kindNames.module) return [];
  const { kindKeywords, kindName } = kindNames.module;
  return ACTION_KINDS.map((kind) => ({
    id: `new:${kind}`,
    group: strings.newMapping,
    title: strings.newMappingOf(kindName(kind)),
    keywords: kindKeywords(kind),
    run: () => ui.navigate("mappings", { kind: "draft", start: {}, action: kind }),
  }));
}

/** The controls that the user has named, each of which starts a new mapping of it. */
function namedControlItems({ config, ui }: State): PaletteItem[] {
  return Object.entries(config.config?.settings.names ?? {}).flatMap(([device, own]) =>
    Object.entries(own).map(([key, name]) => {
      const [control_class, number, , channel] = key.split(" ");
      const control = { control_class, number, channel: channel ? Number(channel) : null };
      return {
        id: `control:${device} ${key}`,
        group: strings.newMapping,
        title: strings.newMappingOf(name),
        hint: device,
        run: async () => {
          const { createTrigger } = await import("$lib/trigger");
          const trigger = createTrigger(control as ControlId, device);
          ui.navigate("mappings", { kind: "draft", start: trigger ? { trigger } : {} });
        },
      };
    }),
  );
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
