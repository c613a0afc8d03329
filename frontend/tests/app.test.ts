import { fireEvent, render, screen, within } from "@testing-library/svelte";
import userEvent from "@testing-library/user-event";
import { describe, expect, it, vi } from "vitest";
import { Client } from "$lib/client/client";
import { createState, type State } from "$lib/state/state";
import type { FakeTransport } from "$lib/transport/fake";
import { searchPalette } from "$shell/find";
import { paletteCode } from "$shell/palette-code";
import { rootSchema, shapeOf } from "$forms/schema";
import { views } from "$views";
import App from "../src/App.svelte";
import "./load-views";
import { CONFIG, PLAN, STATUS, fakeConductor } from "./sample";

async function open(
  view = "",
  handlers: Parameters<typeof fakeConductor>[0] = {},
): Promise<[State, FakeTransport]> {
  const transport = fakeConductor(handlers);
  const client = new Client(transport);
  const state = createState(client);
  state.ui.view = view;
  client.start();
  transport.push(["status", STATUS]);
  render(App, { props: { state } });
  await vi.waitFor(() => expect(state.config.view).not.toBeNull());
  return [state, transport];
}

describe("each view", () => {
  it.each(views.map((view) => [view.id, view.title]))(
    "%s opens with its name",
    async (id, title) => {
      const errors = vi.spyOn(console, "error");
      await open(id);
      const main = screen.getByRole("main");
      expect(await within(main).findByRole("region", { name: title })).toBeTruthy();
      expect(within(main).queryByText(/stopped working/)).toBeNull();
      expect(errors).not.toHaveBeenCalled();
      errors.mockRestore();
    },
  );

  it("has an id, a title and a shortcut of its own", () => {
    for (const of of ["id", "title", "shortcut"] as const) {
      const all = views.map((view) => view[of]);
      expect(new Set(all).size).toBe(all.length);
    }
  });
});

describe("the shell", () => {
  it("switches the mode from the palette", async () => {
    const [, transport] = await open();
    await fireEvent.keyDown(document.body, { key: "k", ctrlKey: true });
    const box = await screen.findByRole("combobox", { name: /Search views/ });
    await fireEvent.input(box, { target: { value: "stream" } });
    await vi.waitFor(() =>
      expect(screen.getByRole("option", { selected: true }).textContent).toContain("Stream"),
    );
    await fireEvent.keyDown(box, { key: "Enter" });
    await vi.waitFor(() => expect(transport.called("modes.switch")).toEqual([{ mode: "Stream" }]));
  });

  it("opens no palette while a dialog is open, which would be over it", async () => {
    const [state] = await open("modes");
    await fireEvent.click(await screen.findByRole("button", { name: "New mode" }));
    const dialog = await screen.findByRole("dialog", { name: "New mode" });
    await fireEvent.keyDown(dialog, { key: "k", ctrlKey: true });
    expect(state.ui.paletteOpen).toBe(false);
    await fireEvent.keyDown(dialog, { key: "Escape" });
    await vi.waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
    await fireEvent.keyDown(document.body, { key: "k", ctrlKey: true });
    const palette = await screen.findByRole("dialog", { name: "Search and commands" });
    await fireEvent.keyDown(palette, { key: "k", ctrlKey: true });
    await vi.waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
  });

  it("shows the colours of modes in their menu", async () => {
    await open();
    const menu = screen.getByRole("button", { name: /^Mode: / });
    await fireEvent.pointerDown(menu, { button: 0, pointerType: "mouse" });
    const item = await screen.findByRole("menuitem", { name: "Stream" });
    expect(item.querySelector<HTMLElement>(".dot")?.style.background).toBe("#e5ad3f");
  });

  it("lets everything go at a press of Panic", async () => {
    const [, transport] = await open();
    await fireEvent.click(screen.getByRole("button", { name: "Panic" }));
    await vi.waitFor(() => expect(transport.called("engine.panic")).toHaveLength(1));
  });

  it("lets everything go at Ctrl+., also while somebody types", async () => {
    const [, transport] = await open();
    const input = document.body.appendChild(document.createElement("input"));
    await fireEvent.keyDown(input, { key: ".", ctrlKey: true });
    await vi.waitFor(() => expect(transport.called("engine.panic")).toHaveLength(1));
    input.remove();
  });

  it("undoes by keyboard, but not while somebody types", async () => {
    const [, transport] = await open();
    await fireEvent.keyDown(document.body, { key: "z", ctrlKey: true });
    await vi.waitFor(() => expect(transport.called("config.undo")).toHaveLength(1));
    const input = document.body.appendChild(document.createElement("input"));
    await fireEvent.keyDown(input, { key: "z", ctrlKey: true });
    expect(transport.called("config.undo")).toHaveLength(1);
    input.remove();
  });

  it("keeps the focus in the view that a shortcut opens", async () => {
    await open();
    await fireEvent.keyDown(document.body, { key: "g" });
    await fireEvent.keyDown(document.body, { key: "o" });
    await vi.waitFor(() => expect(document.activeElement?.id).toBe("content"));
  });

  it("moves the focus to what is left when the element with the focus is removed", async () => {
    await open();
    const place = document.body.appendChild(document.createElement("div"));
    const [first, second] = ["one", "two"].map((name) => {
      const button = place.appendChild(document.createElement("button"));
      button.textContent = name;
      button.getClientRects = () => [{}] as unknown as DOMRectList;
      return button;
    });
    second!.focus();
    second!.remove();
    await vi.waitFor(() => expect(document.activeElement).toBe(first));
    first!.remove();
    await vi.waitFor(() => expect(document.activeElement?.id).toBe("content"));
    place.remove();
  });

  it("returns the focus from a toast to where the user was", async () => {
    const [state] = await open();
    const rects = vi.spyOn(Element.prototype, "getClientRects");
    rects.mockReturnValue([{}] as unknown as DOMRectList);
    const row = document.body.appendChild(document.createElement("button"));
    row.focus();
    state.ui.toast("An earlier toast");
    state.ui.toast("Deleted", { action: { label: "Undo", run: () => {} } });
    const undo = await screen.findByRole("button", { name: "Undo" });
    expect(await fireEvent.mouseDown(undo)).toBe(false); // A click does not take the focus.
    undo.focus();
    await fireEvent.click(undo);
    await vi.waitFor(() => expect(document.activeElement).toBe(row));
    row.remove();
    rects.mockRestore();
  });

  it("holds toasts while the pointer moves over them, and not one that appears under it", async () => {
    const [state] = await open();
    const hold = vi.spyOn(state.ui, "holdToasts");
    state.ui.toast("Deleted", { action: { label: "Undo", run: () => {} } });
    const undo = await screen.findByRole("button", { name: "Undo" });
    const region = screen.getByRole("region", { name: "Notifications" });
    await fireEvent.pointerEnter(region);
    expect(hold).not.toHaveBeenCalled();
    await fireEvent.pointerMove(undo);
    expect(hold).toHaveBeenLastCalledWith(true);
    state.ui.toast("Another"); // the pointer is elsewhere by then, without having left
    await vi.waitFor(() => expect(hold).toHaveBeenLastCalledWith(false));
  });

  it.each(views.map((view) => view.id))("says in %s that mappings are paused", async (id) => {
    const [, transport] = await open(id);
    expect(screen.queryByText("Mappings are paused.")).toBeNull();
    transport.push(["status", { ...STATUS, paused: true }]);
    const banner = (await screen.findByText("Mappings are paused.")).closest("[role=status]");
    await fireEvent.click(within(banner as HTMLElement).getByRole("button", { name: "Resume" }));
    await vi.waitFor(() => expect(transport.called("engine.pause")).toEqual([{ paused: false }]));
  });

  it("presses what a question asks for at Enter, but Cancel where it is dangerous", async () => {
    const [state] = await open();
    const keys = userEvent.setup();
    const harmless = state.ui.confirm({ title: "Restore version 3?", confirm: "Restore" });
    const restore = await screen.findByRole("button", { name: "Restore" });
    await vi.waitFor(() => expect(document.activeElement).toBe(restore));
    await keys.keyboard("{Enter}");
    expect(await harmless).toBe(true);
    const danger = state.ui.confirm({ title: "Delete it?", confirm: "Delete", danger: true });
    const cancel = await screen.findByRole("button", { name: "Cancel" });
    await vi.waitFor(() => expect(document.activeElement).toBe(cancel));
    await keys.keyboard("{Enter}");
    expect(await danger).toBe(false);
  });

  it("says that the connection is lost, and tries again when asked", async () => {
    const [, transport] = await open();
    transport.setLink("lost");
    const banner = await screen.findByText(
      /connection to Conductor is lost/,
      {},
      { timeout: 3000 },
    );
    await fireEvent.click(
      within(banner.closest("[role=alert]") as HTMLElement).getByRole("button", {
        name: "Try now",
      }),
    );
    await vi.waitFor(() =>
      expect(screen.queryByText(/connection to Conductor is lost/)).toBeNull(),
    );
  });

  it("says which agent captures what is played, and stops it", async () => {
    const [, transport] = await open();
    const session = {
      session_id: "7",
      caller: "mcp",
      client: "Claude Code",
      executable: null,
      conversation_id: null,
      expires_at: "2026-11-29T20:00:00Z",
    };
    const mine = { ...session, session_id: "8", caller: "page", client: "Firefox" };
    transport.push(["midi_learn", { sessions: [mine] }]);
    expect(screen.queryByRole("button", { name: /MIDI Learn/ })).toBeNull();

    transport.push(["midi_learn", { sessions: [mine, session] }]);
    const chip = await screen.findByRole("button", {
      name: "MIDI Learn: capturing for Claude Code",
    });
    expect(chip.closest("[role=status]")).not.toBeNull();
    await fireEvent.keyDown(chip, { key: "Enter" });
    await fireEvent.keyDown(
      await screen.findByRole("menuitem", { name: "Stop capturing for Claude Code" }),
      { key: "Enter" },
    );
    await vi.waitFor(() => expect(transport.called("learn.end")).toEqual([{ session_id: "7" }]));

    transport.push(["midi_learn", { sessions: [mine] }]);
    await vi.waitFor(() => expect(chip.isConnected).toBe(false));
  });

  it("shows who captures when the page is opened in the middle of it", async () => {
    const session = {
      session_id: "7",
      caller: "chat",
      client: null,
      executable: null,
      conversation_id: "c1",
      expires_at: "2026-11-29T20:00:00Z",
    };
    const transport = fakeConductor({ "learn.sessions": () => ({ sessions: [session] }) });
    const client = new Client(transport);
    const state = createState(client);
    client.start();
    render(App, { props: { state } });
    const chip = await screen.findByRole("button", { name: /capturing for The assistant/ });
    await fireEvent.keyDown(chip, { key: "Enter" });
    expect(await screen.findByRole("menuitem", { name: "Show the conversation" })).toBeTruthy();
  });

  it("shows hostile text as text", async () => {
    const [state, transport] = await open();
    const hostile = '<img src=x onerror="document.title=1">\u202e' + "x".repeat(10_000);
    transport.push(
      ["front", { executable: hostile, bundle_id: "", title: hostile }],
      ["notice", { text: hostile, level: "warning" }],
      ["plan", { ...PLAN, plan_id: "evil", description: hostile }],
    );
    await vi.waitFor(() => expect(state.ui.toasts.length).toBeGreaterThan(1));
    expect(document.querySelector("img")).toBeNull();
  });

  it("follows the theme of the settings", async () => {
    const [state] = await open();
    state.ui.theme = "light";
    await vi.waitFor(() => expect(document.documentElement.dataset["theme"]).toBe("light"));
  });
});

const waitForSection = (id: string): Promise<HTMLElement> =>
  vi.waitFor(() => {
    const section = document.querySelector<HTMLElement>(`[data-group="${id}"]`);
    expect(section).not.toBeNull();
    return section!;
  });

describe("finding", () => {
  const item = (title: string, group = "Do") => ({ id: title, title, group, run: () => {} });

  it("finds views and settings by common words, in English and German", async () => {
    const [state] = await open();
    const found = (query: string) => searchPalette(state.ui.paletteItems(), query)[0]?.title;
    expect(found("mcp")).toMatch(/MCP/);
    for (const query of ["agent", "backup", "skill", "provider", "gamepad", "config", "export"])
      expect(found(query), query).toBeTruthy();
    for (const query of ["sicherung", "geräte", "anbieter", "belegung", "importieren", "hilfe"])
      expect(found(query), query).toBeTruthy();
    expect(found("gamepad")).toBe("Devices");
    const pages: Record<string, string[]> = {
      "Settings: voice and microphone": ["microphone", "speech", "talk", "mikrofon", "sprechen"],
      "Settings: your manuals": ["pdf", "handbook", "bedienungsanleitung", "anleitungen"],
      "Settings: agents on other computers": ["phone", "oauth", "handy", "fernzugriff"],
      "Settings: agents over A2A": ["a2a", "tasks"],
      "Settings: agents over MCP": ["mcp agent", "token"],
    };
    for (const [page, queries] of Object.entries(pages))
      for (const query of queries)
        expect(
          searchPalette(state.ui.paletteItems(), query)
            .slice(0, 3)
            .map(({ title }) => title),
          query,
        ).toContain(page);
    expect(found("export")).toBe("Settings: config file");
    for (const view of views)
      expect(
        state.ui.paletteItems().find((item) => item.id === `view:${view.id}`)?.keywords,
      ).not.toBe("");
  });
  it("finds a control by the name that the user gave it", async () => {
    const names = { virtual: { "note 41": "Snare" } };
    const settings = { ...CONFIG.config.settings, names };
    const [state] = await open("", {
      "config.get": () => ({ ...CONFIG, config: { ...CONFIG.config, settings } }),
    });
    await vi.waitFor(() => expect(state.config.config).not.toBeNull());
    const snare = searchPalette(state.ui.paletteItems(), "snare")[0]!;
    expect([snare.title, snare.hint]).toEqual(["Map Snare", "Virtual controller"]);
    snare.run();
    await vi.waitFor(() => expect(state.ui.view).toBe("mappings"));
  });
  it("finds a mode by what one does with it, in English and German", async () => {
    const [state] = await open();
    for (const query of ["switch to stream", "go to stream", "open stream mode", "zu stream"])
      expect(searchPalette(state.ui.paletteItems(), query)[0]?.id, query).toBe("mode:Stream");
  });
  it("finds the active mode, which it shows", async () => {
    const [state, transport] = await open();
    const mode = searchPalette(state.ui.paletteItems(), "default")[0]!;
    expect([mode.title, mode.group]).toEqual(["Default", "Active mode"]);
    expect(searchPalette(state.ui.paletteItems(), "").map(({ id }) => id)).not.toContain(mode.id);
    mode.run();
    expect(state.ui.view).toBe("modes");
    expect(transport.called("modes.switch")).toEqual([]);
  });
  it("finds no short word inside of another one", () => {
    const view = { ...item("Controller", "Go to"), keywords: "knobs pads" };
    expect(searchPalette([view], "obs")).toEqual([]);
    expect(searchPalette([view], "kno")).toHaveLength(1);
  });
  it("finds profiles and pending plans", async () => {
    const profile = { ...CONFIG.config.profiles[0]!, name: "obs" };
    const [state] = await open("", {
      "config.get": () => ({ ...CONFIG, config: { ...CONFIG.config, profiles: [profile] } }),
      "plans.list": () => ({ plans: [PLAN] }),
    });
    await vi.waitFor(() => expect(state.plans.pending).toHaveLength(1));
    searchPalette(state.ui.paletteItems(), "open obs")[0]!.run();
    expect([state.ui.view, state.ui.paramsOf("profiles")]).toEqual([
      "profiles",
      { kind: "profile", name: "obs" },
    ]);
    const plan = state.ui.paletteItems().find(({ group }) => group === "Pending plans")!;
    expect(searchPalette(state.ui.paletteItems(), plan.title)[0]?.id).toBe(plan.id);
    plan.run();
    expect(state.ui.view).toBe("plans");
  });
  it("lists a mapping before the offer to make another one of its control", () => {
    const items = [item("New mapping: Mic mute", "New mapping"), item("Hold Mic mute", "Mappings")];
    expect(searchPalette(items, "mute").map(({ group }) => group)).toEqual([
      "Mappings",
      "New mapping",
    ]);
  });
  it("finds a mapping by the printed name of a control with a name of the user's own", async () => {
    const [first, ...others] = CONFIG.rows["mode:Default"]!;
    const rows = { ...CONFIG.rows, "mode:Default": [{ ...first!, printed: "Pad 2" }, ...others] };
    const [state] = await open("", { "config.get": () => ({ ...CONFIG, rows }) });
    const found = searchPalette(state.ui.paletteItems(), "pad 2").map(({ id }) => id);
    expect(found).toContain("mapping:mode:Default#0");
  });
  it("lists the control of a number before a note of that octave", () => {
    const rows = ["Pad 2 → Send note 60 (C3)", "Pad 13 → C1"].map((one) => item(one, "Mappings"));
    const items = [...rows, item("Map Pad 3", "New mapping"), item("Map Pad 13", "New mapping")];
    for (const query of ["pad 3", "map pad 3"])
      expect(searchPalette(items, query).map(({ title }) => title)).toEqual(["Map Pad 3"]);
    const kick = { ...item("Kick", "Mappings"), keywords: "Pad 1" };
    const other = { ...item("Pad 9 → Kick 1", "Mappings"), keywords: "" };
    expect(searchPalette([other, kick], "pad 1")[0]).toBe(kick);
  });
  it("lists some of each group when many fit", () => {
    const items = Array.from({ length: 30 }, (_, at) => item(`Pad ${at}`, "Mappings"));
    const found = searchPalette([...items, item("Pads")], "pad").map(({ group }) => group);
    expect([found.length, found.includes("Do")]).toEqual([11, true]);
  });
  it("finds each setting, and shows it", async () => {
    const [state] = await open();
    for (const [query, title] of Object.entries({
      "middle c": "Name of middle C",
      "start mode": "Start mode",
      autostart: "Start at login",
      hold: "Long press",
    }))
      expect(
        searchPalette(state.ui.paletteItems(), query).map((one) => one.title),
        query,
      ).toContain(title);
    searchPalette(state.ui.paletteItems(), "middle c")[0]!.run();
    const section = await waitForSection("ui");
    expect(within(section).getByText("Name of middle C")).toBeTruthy();
  });
  it("opens the dialog for a new profile", async () => {
    const [state] = await open();
    searchPalette(state.ui.paletteItems(), "new profile")[0]!.run();
    expect(await screen.findByRole("dialog", { name: "New profile" })).toBeTruthy();
  });
  it("takes a number as a whole one", async () => {
    const [state] = await open();
    const found = (query: string) => searchPalette(state.ui.paletteItems(), query);
    expect(found("note 36").length).toBeGreaterThan(0);
    expect(found("note 3")).toEqual([]);
  });
  it("offers to look for anything in Knowledge and to ask the assistant", async () => {
    const [state] = await open();
    state.ui.paletteOpen = true;
    const user = userEvent.setup();
    await user.type(await screen.findByRole("combobox", { name: /search/i }), "nrpn msb{Enter}");
    await vi.waitFor(() => expect(state.ui.view).toBe("knowledge"));
    expect((await screen.findAllByDisplayValue("nrpn msb")).length).toBeGreaterThan(0);
  });
  it("finds what people do, in English and German", async () => {
    const [state] = await open();
    const found = (query: string) => searchPalette(state.ui.paletteItems(), query)[0]?.title;
    const queries: Record<string, string[]> = {
      "New mapping": ["new mapping", "map a control", "mapping anlegen"],
      "New mode": ["new mode", "add mode", "modus hinzufügen"],
      "New mapping: Volume": ["new volume", "lautstärke", "unmute", "stumm"],
      "New mapping: Push to talk": ["push to talk"],
      "Back up the config": ["back up", "sichern", "backup", "sicherung"],
      "New mapping: Keystroke": ["media"],
      "Settings: providers of models": ["key storage", "passphrase", "schlüsselspeicher"],
      Mappings: ["delete", "löschen"],
    };
    for (const [title, words] of Object.entries(queries))
      for (const query of words) expect(found(query), query).toBe(title);
    searchPalette(state.ui.paletteItems(), "new volume")[0]!.run();
    expect(state.ui.view).toBe("mappings");
    await vi.waitFor(() => expect(state.ui.paramsOf("mappings")).toBeNull());
    searchPalette(state.ui.paletteItems(), "add mode")[0]!.run();
    expect(await screen.findByRole("dialog", { name: "New mode" })).toBeTruthy();
  });
  it("offers every kind of action for a new mapping", async () => {
    const [state] = await open();
    const { schema, defs } = rootSchema("Action");
    const shape = shapeOf(schema, defs);
    const kinds = shape.is === "union" ? shape.kinds.map(({ tag }) => `new:${tag}`) : [];
    const offered = state.ui.paletteItems().map(({ id }) => id);
    expect(offered.filter((id) => id.startsWith("new:")).sort()).toEqual(kinds.sort());
  });
  it("lists entries as soon as their code is loaded", async () => {
    const [state] = await open();
    const code = paletteCode.module;
    paletteCode.module = null;
    state.ui.paletteOpen = true;
    await userEvent.type(await screen.findByRole("combobox", { name: /^Search/ }), "volume");
    expect(screen.queryByRole("option", { name: /New mapping: Volume/ })).toBeNull();
    paletteCode.module = code;
    expect(await screen.findByRole("option", { name: /New mapping: Volume/ })).toBeTruthy();
  });
  it("shows how agents are connected before the technical settings", async () => {
    const [state] = await open();
    state.ui.navigate("settings", { kind: "page", page: "agents" });
    const section = await waitForSection("mcp");
    const command = within(section).getByText("Claude Code");
    const setting = within(section).getByRole("switch", { name: /agents/i });
    expect(command.compareDocumentPosition(setting)).toBe(Node.DOCUMENT_POSITION_FOLLOWING);
  });
  it("opens the settings at the section", async () => {
    const [state] = await open();
    const sections: string[] = [];
    const scroll = vi.spyOn(Element.prototype, "scrollIntoView").mockImplementation(function (
      this: HTMLElement,
    ) {
      if (this.dataset["group"]) sections.push(this.dataset["group"]);
    });
    searchPalette(state.ui.paletteItems(), "mikrofon")[0]!.run();
    await vi.waitFor(() => expect(sections).toEqual(["voice"]));
    scroll.mockRestore();
  });
  it("finds a language by its names, and forgives one typo in each word", async () => {
    const [state] = await open();
    const found = (query: string) => searchPalette(state.ui.paletteItems(), query)[0]?.title;
    for (const query of ["german", "deutsch", "language deu", "deutch"])
      expect(found(query), query).toBe("Language: Deutsch");
    for (const query of ["english", "englisch", "engilsh"])
      expect(found(query), query).toBe("Language: English");
    expect(searchPalette(state.ui.paletteItems(), "sprache").map(({ title }) => title)).toEqual(
      expect.arrayContaining(["Language: Deutsch", "Language: English"]),
    );
    for (const query of ["undu", "unod last", "uundo", "undo chnge", "udno"])
      expect(found(query), query).toBe("Undo the last change");
    for (const query of ["montor", "moniter"]) expect(found(query), query).toBe("Monitor");
    expect(
      searchPalette([item("Undo"), item("Undu scene")], "undu").map((one) => one.title),
    ).toEqual(["Undu scene"]);
    for (const query of ["map", "xyz", "undxx", "pad 37"])
      expect(searchPalette([item("Tap"), item("Undo"), item("Pad 36")], query), query).toEqual([]);
  });
  it("offers to map a control that nothing uses", async () => {
    const controls = [36, 40].map((number) => ({
      ...{ name: `pad${number - 35}`, label: `Pad ${number - 35}`, kind: "pad" as const },
      ...{ control_class: "note" as const, number, channel: 10, row: 0, col: 0 },
    }));
    const [state] = await open("", { "virtual.layout": () => ({ device: "virtual", controls }) });
    state.ui.paletteOpen = true;
    await vi.waitFor(() => expect(state.devices.virtualControls).toHaveLength(2));
    const found = (query: string) =>
      searchPalette(state.ui.paletteItems(), query).map(({ title }) => title);
    expect(found("pad 5")).toContain("Map Pad 5");
    expect(found("pad 1")).not.toContain("Map Pad 1");
    searchPalette(state.ui.paletteItems(), "map pad 5")[0]!.run();
    await vi.waitFor(() => expect(state.ui.view).toBe("mappings"));
  });
  it("finds Panic by what it silences, and what switches a scene of OBS", async () => {
    const [state] = await open();
    const found = (query: string) =>
      searchPalette(state.ui.paletteItems(), query).map(({ title }) => title);
    expect(found("midi panic")[0]).toMatch(/^Panic/);
    expect(found("obs scene")).toContain("Settings: MCP servers");
    expect(found("obs scene")).toContain("New mapping: MCP tool");
  });
  it("begins with what was chosen last, and where one can go", async () => {
    const [state] = await open();
    state.ui.paletteOpen = true;
    const user = userEvent.setup();
    await user.type(await screen.findByRole("combobox", { name: /search/i }), "scan{Enter}");
    const groups = searchPalette(
      state.ui.paletteItems(),
      "",
      state.ui.pref<string[]>("palette.recent", []),
    ).map(({ group, title }) => [group, title] as const);
    expect(groups[0]).toEqual(["Recent", "Scan for devices"]);
    expect(groups[1]![0]).toBe("Go to");
    expect(groups.filter(([, title]) => title === "Scan for devices")).toHaveLength(1);
  });
  it("begins with no mode, which Enter alone would switch to, even if it was chosen last", () => {
    const items = [item("Live", "Switch mode"), item("Mappings", "Go to")];
    expect(searchPalette(items, "", [items[0]!.id]).map((one) => one.title)).toEqual([
      "Mappings",
      "Live",
    ]);
  });
  it("puts beginnings first and needs every word", () => {
    const mapping = { ...item("A panic scene", "Mappings"), isOnlySearched: true as const };
    const items = [item("Undo the last change"), item("Panic"), mapping];
    expect(searchPalette(items, "panic").map((one) => one.title)).toEqual([
      "Panic",
      "A panic scene",
    ]);
    expect(searchPalette(items, "panic mapp").map((one) => one.title)).toEqual(["A panic scene"]);
    expect(searchPalette(items, "").map((one) => one.title)).toEqual([
      "Undo the last change",
      "Panic",
    ]);
  });
});
