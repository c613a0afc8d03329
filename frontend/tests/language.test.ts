/** The page speaks German as completely as English, and changes the language at once. */
import { render, screen, within } from "@testing-library/svelte";
import { readFileSync, readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import ts from "typescript";
import { afterEach, describe, expect, it, vi } from "vitest";
import { formatDate, formatList, formatNumber, plural } from "$language/format";
import { german } from "../src/german";
import { language, localized } from "$language/language.svelte";
import { fieldName, kindName, optionName, weekdayNames } from "$forms/names";
import { summarizeArguments } from "$features/chat/words";
import { allGroups } from "$features/settings/settings";
import { Client } from "$lib/client/client";
import schemas from "$lib/client/schemas.json";
import { createState, type State } from "$lib/state/state";
import type { FakeTransport } from "$lib/transport/fake";
import { views } from "$views";
import App from "../src/App.svelte";
import "./load-views";
import { CONFIG, STATUS, fakeConductor } from "./sample";

const SRC = join(import.meta.dirname, "../src");

type Texts = { [key: string]: string | ((...values: never[]) => string) | Texts };
const FOLDERS = readdirSync(SRC, { recursive: true, encoding: "utf8" })
  .filter((file) => file.endsWith("strings.ts"))
  .map((file) => dirname(file));
const ENGLISH = new Map<string, Texts>();
for (const folder of FOLDERS) {
  const path = join(SRC, folder, "strings.ts");
  const { strings } = (await import(/* @vite-ignore */ path)) as { strings: Texts };
  ENGLISH.set(folder, strings);
}
const englishOf = (folder: string): Texts => ENGLISH.get(folder)!;

/** Words that are the same in German. */
const SAME_IN_GERMAN = new Set(
  `Ableton App Art Auto Balance Bank Budget CC Chat Chorus Client Clock Code Conductor Controller
  Demo Engine Expression Gamepad Gamepads HID Home Hub In Info JSON JavaScript LM Legato Linux
  LiteLLM MIDI Mappings Mono Monitor NRPN Name Net Note OSC Ollama Orange PS Pads Paddle Parameter
  Passphrase Pause Phaser Plan Poly Port Portamento Position Problem Python RPN Select Server
  Start Stick Studio SysEx System Text Tool Tools Touchpad Transport Tremolo Trigger Version Windows
  Yamaha Aftertouch Cyan Guide Magenta Alt Skills Esc Play Shell Tab Vol in optional px`.split(
    /\s+/,
  ),
);
const isSameInGerman = (text: string): boolean =>
  (text.match(/\p{L}{2,}/gu) ?? []).every((word) => SAME_IN_GERMAN.has(word));

/** The names of a mode and a device in the sample. */
const NAMES_OF_SAMPLE = ["Default", "Virtual controller"];

/** Collect all texts of a folder, by key. */
function flatten(texts: object, prefix: string): [key: string, text: unknown][] {
  return Object.entries(texts).flatMap(([name, text]): [string, unknown][] =>
    text !== null && typeof text === "object"
      ? flatten(text as object, `${prefix}.${name}`)
      : [[`${prefix}.${name}`, text]],
  );
}

/** Return each English text with its German one, and a mark such as `<0>` for each parameter. */
function pairsOf(folder: string): { key: string; english: string; german: string | undefined }[] {
  const translations = new Map(flatten(german[folder] ?? {}, folder));
  return flatten(englishOf(folder), folder).map(([key, english]) => {
    const count = typeof english === "function" ? english.length : 0;
    const marks = Array.from({ length: count }, (_, index) => `<${index}>`);
    const withMarks = (text: unknown): string =>
      typeof text === "function"
        ? (text as (...marks: string[]) => string)(...marks)
        : (text as string);
    const translation = translations.get(key);
    return {
      key,
      english: withMarks(english),
      german: translation === undefined ? undefined : withMarks(translation),
    };
  });
}

const marksOf = (text: string): string => [...new Set(text.match(/<\d>/g) ?? [])].sort().join();

async function open(view: string): Promise<[State, FakeTransport]> {
  let config = CONFIG;
  const transport = fakeConductor({
    "config.get": () => config,
    "config.commit": ({ changes }) => {
      const [change] = changes as [{ settings: { ui: object } }];
      const settings = {
        ...config.config.settings,
        ui: { ...config.config.settings.ui, ...change.settings.ui },
      };
      config = {
        ...config,
        hash: `${config.hash}+`,
        config: { ...config.config, settings },
      } as typeof CONFIG;
      return { hash: config.hash };
    },
  });
  const client = new Client(transport);
  const state = createState(client);
  state.ui.view = view;
  client.start();
  transport.push(["status", STATUS]);
  render(App, { props: { state } });
  await vi.waitFor(() => expect(state.config.view).not.toBeNull());
  return [state, transport];
}

afterEach(() => {
  vi.restoreAllMocks();
  localStorage.clear();
});

it("names the arguments of a tool call", async () => {
  expect(summarizeArguments({ mode: "Live" })).toBe("Mode Live");
  await language.choose("de");
  expect(summarizeArguments({ mode: "Live" })).toBe("Modus Live");
});

describe("the German texts", () => {
  it("exist for each folder, whose name its English texts know", async () => {
    expect(Object.keys(german).sort()).toEqual([...FOLDERS].sort());
    const found = FOLDERS.map((folder) => [folder, Object.keys(englishOf(folder))[0]!] as const);
    await language.choose("de");
    for (const [folder, key] of found)
      expect(englishOf(folder)[key], folder).toBe(Reflect.get(german[folder]!, key));
  });

  it.each(FOLDERS)("of %s exist for each English one, with the same parameters", (folder) => {
    const wrong = pairsOf(folder).filter(
      (one) => one.german === undefined || marksOf(one.english) !== marksOf(one.german),
    );
    expect(wrong).toEqual([]);
  });

  it("differ from the English ones, except for words that are the same", () => {
    const same = FOLDERS.flatMap(pairsOf).filter((one) => one.english === one.german);
    expect(same.filter((one) => !isSameInGerman(one.english))).toEqual([]);
  });

  it("name each field, kind and option of the config", async () => {
    const names = schemaNames();
    const english = names.map(({ name }) => name());
    await language.choose("de");
    const same = names.filter(({ name }, index) => name() === english[index]);
    expect(same.map(({ name }) => name()).filter((name) => !isSameInGerman(name))).toEqual([]);
  });

  it("explain each setting", async () => {
    const english = new Map(
      allGroups().flatMap((group) =>
        [...group.settings, ...group.rare].map((one) => [one.path.join("."), one] as const),
      ),
    );
    await language.choose("de");
    const german = allGroups().flatMap(({ settings, rare }) => [...settings, ...rare]);
    for (const { path, label, help } of german) {
      const before = english.get(path.join("."))!;
      if (help) expect(help, path.join(".")).not.toBe(before.help);
      if (!isSameInGerman(before.label)) expect(label, path.join(".")).not.toBe(before.label);
    }
  });
});

/** Return functions that return the name of each field, kind and option in the schemas. */
function schemaNames(): { name: () => string }[] {
  const found: { name: () => string }[] = [];
  const visit = (node: unknown): void => {
    if (Array.isArray(node)) node.forEach(visit);
    if (node === null || typeof node !== "object") return;
    const { properties } = node as { properties?: Record<string, { const?: string }> };
    const kind = properties?.["type"]?.const;
    if (kind) {
      found.push({ name: () => kindName(kind) });
      for (const field of Object.keys(properties!).filter((name) => name !== "type"))
        found.push({ name: () => fieldName(field, kind) });
      for (const field of Object.values(properties!))
        for (const option of optionsOf(field)) found.push({ name: () => optionName(option) });
    }
    Object.values(node).forEach(visit);
  };
  for (const root of [schemas.Trigger, schemas.Action, schemas.Condition, schemas.Curve])
    visit(root);
  return found;
}

function optionsOf(field: unknown): string[] {
  const text = JSON.stringify(field);
  return [...text.matchAll(/"enum":(\[[^\]]*\])/g)].flatMap((match) =>
    (JSON.parse(match[1]!) as unknown[]).map(String),
  );
}

describe("the language", () => {
  it("is that of the system, also when this changes", async () => {
    const languages = vi.spyOn(navigator, "languages", "get");
    languages.mockReturnValue(["de-AT", "en"]);
    await language.choose("system");
    expect(language.current).toBe("de");
    const stop = language.followSystem();
    languages.mockReturnValue(["fr-FR", "en-GB", "de"]);
    window.dispatchEvent(new Event("languagechange"));
    await vi.waitFor(() => expect(language.current).toBe("en"));
    stop();
  });

  it("is English on a system whose languages Conductor does not speak", async () => {
    vi.spyOn(navigator, "languages", "get").mockReturnValue(["fr-FR"]);
    await language.choose("system");
    expect(language.current).toBe("en");
  });

  it("is that of the last choice at the start of the page", async () => {
    await language.choose("de");
    vi.spyOn(navigator, "languages", "get").mockReturnValue(["en"]);
    await language.restore();
    expect(language.current).toBe("de");
  });

  it("formats numbers, dates and lists, and chooses plurals", async () => {
    const at = Date.UTC(2026, 2, 5);
    await language.choose("de");
    expect(formatNumber(12345.5)).toBe("12.345,5");
    expect(formatDate(at, { timeZone: "UTC" })).toBe("5.3.2026");
    expect(formatList(["Pads", "Fader", "Stick"])).toBe("Pads, Fader und Stick");
    expect(plural(1, { one: "Mapping", other: "Mappings" })).toBe("Mapping");
    expect(plural(0, { one: "Mapping", other: "Mappings" })).toBe("Mappings");
    expect(weekdayNames()[0]).toBe("Montag");
    await language.choose("en");
    expect(formatNumber(12345.5)).toBe("12,345.5");
    expect(weekdayNames()[6]).toBe("Sunday");
  });

  it("changes constants with texts", async () => {
    const marks = localized(() => [language.current === "de" ? "ja" : "yes"]);
    expect([Array.isArray(marks), ...marks]).toEqual([true, "yes"]);
    await language.choose("de");
    expect(marks.map((mark) => mark.length)).toEqual([2]);
    expect(marks).toContain("ja");
  });

  it("changes at once, with the view that is open, when it is chosen in the settings", async () => {
    const [state] = await open("settings");
    const main = screen.getByRole("main");
    expect(await within(main).findByRole("heading", { name: "Settings" })).toBeTruthy();
    await state.config.setLanguage("de");
    expect(await within(main).findByRole("heading", { name: "Einstellungen" })).toBeTruthy();
    expect(screen.getByRole("button", { name: /^Verlauf/ })).toBeTruthy();
    expect(within(main).getByText("Erscheinungsbild")).toBeTruthy();
    expect(within(main).getByRole("radio", { name: "Deutsch" })).toBeTruthy();
    expect(document.documentElement.lang).toBe("de");
    expect(document.title).toContain("Einstellungen");
    await state.config.setLanguage("en");
    expect(await within(main).findByRole("heading", { name: "Settings" })).toBeTruthy();
    expect(document.documentElement.lang).toBe("en");
  });

  it.each(views.map((view) => view.id))("is German in all of the view %s", async (id) => {
    const pairs = FOLDERS.flatMap(pairsOf);
    const translations = new Set(pairs.map((one) => one.german));
    const untranslated = new Set(
      pairs
        .map((one) => one.english)
        .filter(
          (text) => !translations.has(text) && !marksOf(text) && !NAMES_OF_SAMPLE.includes(text),
        ),
    );
    vi.spyOn(navigator, "languages", "get").mockReturnValue(["de"]);
    await language.choose("system");
    await open(id);
    const { title } = views.find((view) => view.id === id)!;
    expect(
      await within(screen.getByRole("main")).findByRole("region", { name: title }),
    ).toBeTruthy();
    expect(visibleTexts().filter((text) => untranslated.has(text))).toEqual([]);
  });
});

/** Return all texts of the page, including those that only screen readers and tooltips show. */
function visibleTexts(): string[] {
  const texts: string[] = [];
  for (const element of document.body.querySelectorAll("*")) {
    for (const node of element.childNodes)
      if (node.nodeType === Node.TEXT_NODE) texts.push(node.textContent!.trim());
    for (const name of ["aria-label", "title", "placeholder", "alt"])
      texts.push(element.getAttribute(name) ?? "");
  }
  return texts.filter(Boolean);
}

/** Constants that read a text when their module is loaded, so that a new language misses them. */
function staleConstants(file: string): string[] {
  let code = readFileSync(join(SRC, file), "utf8");
  if (file.endsWith(".svelte"))
    code = [...code.matchAll(/<script[^>]*>([^]*?)<\/script>/g)].map((one) => one[1]).join("\n");
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isFunctionLike(node)) return;
    if (ts.isCallExpression(node) && /^(\$derived|\$effect)/.test(node.expression.getText()))
      return;
    if (
      ts.isPropertyAccessExpression(node) &&
      ts.isIdentifier(node.expression) &&
      node.expression.text === "strings"
    )
      found.push(`${file}: ${node.getText()}`);
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile(file, code, ts.ScriptTarget.Latest, true));
  return found;
}

it("no constant keeps the text of the language in which its module was loaded", () => {
  const files = readdirSync(SRC, { recursive: true, encoding: "utf8" });
  const stale = files
    .filter((file) => /\.(ts|svelte)$/.test(file) && !file.endsWith("generated.ts"))
    .flatMap(staleConstants);
  expect(stale, "use localized() in modules, $derived() in components").toEqual([]);
});
