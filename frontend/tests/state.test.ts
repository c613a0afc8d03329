import { waitFor } from "@testing-library/svelte";
import { language } from "$language/language.svelte";
import { strings } from "$lib/strings";
import { scopeFields } from "$lib/scopes";
import { flushSync } from "svelte";
import { describe, expect, it, vi } from "vitest";
import { Client } from "$lib/client/client";
import { MAX_TRACES } from "$lib/state/monitor.svelte";
import { safeColor } from "$lib/state/modes.svelte";
import { createState, type State } from "$lib/state/state";
import { Refusal, type FakeTransport, type Handlers } from "$lib/transport/fake";
import { CONFIG, PLAN, STATUS, fakeConductor, trace } from "./sample";

async function start(over: Handlers = {}): Promise<[State, FakeTransport]> {
  const transport = fakeConductor(over);
  const client = new Client(transport);
  const state = createState(client);
  client.start();
  await vi.waitFor(() =>
    expect(
      state.plans.loaded &&
        state.devices.loaded &&
        state.config.view !== null &&
        state.app.info !== null,
    ).toBe(true),
  );
  return [state, transport];
}

describe("the config", () => {
  it("gives each mapping its place and words", async () => {
    const [state] = await start();
    expect(state.config.rows.map((row) => [row.scope, row.index])).toEqual(
      [0, 1, 2, 3].map((index) => ["mode:Default", index]),
    );
    expect(state.config.row("mode:Default", 1)?.words.badges).toEqual(["hold"]);
  });

  it("is reloaded when another one runs, and not for its own", async () => {
    const [state, transport] = await start();
    const before = transport.called("config.get").length;
    transport.push(["config", { hash: state.config.hash }]);
    expect(transport.called("config.get")).toHaveLength(before);
    transport.push(["config", { hash: "other" }]);
    await vi.waitFor(() => expect(transport.called("config.get")).toHaveLength(before + 1));
  });

  it("shows the newest to who waits for a reading that another overtook", async () => {
    let hash = "before";
    let held: Promise<void> | null = null;
    const [state, transport] = await start({
      "config.get": async () => (await held, { ...CONFIG, hash }),
    });
    let release = (): void => undefined;
    held = new Promise((resolve) => (release = resolve));
    const seen = state.config.load().then(() => state.config.hash);
    transport.push(["config", { hash: "after" }]);
    hash = "after";
    release();
    expect(await seen).toBe("after");
  });

  it("commits against what it shows, and offers to undo", async () => {
    const [state, transport] = await start();
    const changes = [{ change_type: "DeleteMode" as const, name: "Live" }];
    expect(await state.config.apply(changes, () => "Deleted Live")).toBe(true);
    expect(transport.called("config.commit")).toEqual([
      { changes, base_hash: CONFIG.hash, reason: "Deleted Live" },
    ]);
    expect(state.ui.toasts.at(-1)).toMatchObject({
      text: "Deleted Live",
      action: { label: "Undo" },
    });
  });

  it("stores what was changed in English, and tells it in the language that is shown", async () => {
    vi.spyOn(navigator, "languages", "get").mockReturnValue(["de"]);
    const [state, transport] = await start({
      "config.undo": () => ({ hash: "undone", reason: "Theme: dark" }),
      "config.redo": () => ({ hash: "redone", reason: "words that have no German" }),
    });
    await vi.waitFor(() => expect(language.current).toBe("de"));
    const done = () => strings.theme("dark");
    await state.config.apply([{ change_type: "DeleteMode", name: "Live" }], done);
    expect(transport.called("config.commit")).toMatchObject([{ reason: "Theme: dark" }]);
    expect(state.ui.toasts.at(-1)?.text).toBe("Erscheinungsbild: dunkel");
    await state.config.undo();
    expect(state.ui.toasts.at(-1)?.text).toBe("Rückgängig gemacht: Erscheinungsbild: dunkel");
    await state.config.redo();
    expect(state.ui.toasts.at(-1)?.text).toBe("Wiederholt");
    vi.restoreAllMocks();
  });

  it("changes the theme and the language without a toast", async () => {
    const [state, transport] = await start();
    const count = state.ui.toasts.length;
    await state.config.setTheme("dark");
    await state.config.setLanguage("en");
    expect(transport.called("config.commit")).toMatchObject([
      { reason: "Theme: dark" },
      { reason: "Language: English" },
    ]);
    expect(state.ui.toasts).toHaveLength(count);
  });

  it("undoes from a toast only the change of this toast", async () => {
    let hash = CONFIG.hash;
    const [{ config, ui }, transport] = await start({
      "config.get": () => ({ ...CONFIG, hash }),
      "config.commit": () => ({ hash }),
      "config.undo": () => ({ hash: (hash = "undone"), reason: "Add the mode Stream" }),
    });
    const toast = (text: string) => ui.toasts.find((one) => one.text === text);
    const change = (made: string) => {
      hash = made;
      return config.apply([{ change_type: "DeleteMode", name: "Live" }], () => made);
    };
    await change("Added the mode Stream");
    const outdated = toast("Added the mode Stream")?.action;
    await change("Deleted Pad 3");
    expect(toast("Added the mode Stream")).toBeUndefined();
    outdated?.run();
    expect(transport.called("config.undo")).toEqual([]);
    toast("Deleted Pad 3")?.action?.run();
    await vi.waitFor(() => expect(transport.called("config.undo")).toHaveLength(1));

    await change("Added the mode Game");
    expect(toast("Added the mode Game")?.action).toBeDefined();
    await config.undo();
    expect(toast("Added the mode Game")).toBeUndefined();
  });

  it("offers to redo what was undone, and shows no toast that is no longer true", async () => {
    let hash = CONFIG.hash;
    const [{ config, ui }, transport] = await start({
      "config.get": () => ({ ...CONFIG, hash }),
      "config.undo": () => ({ hash: (hash = "undone"), reason: "Deleted Pad 3" }),
      "config.redo": () => ({ hash: (hash = "redone"), reason: "Deleted Pad 3" }),
    });
    const texts = () => ui.toasts.map(({ text }) => text);
    config.showChange("Restored: Mapped Pad 3", hash);
    await config.undo();
    expect(texts()).toEqual(["Undone: Deleted Pad 3"]);
    expect(ui.toasts[0]?.action?.label).toBe("Redo");
    ui.toasts[0]?.action?.run();
    await vi.waitFor(() => expect(texts()).toEqual(["Redone: Deleted Pad 3"]));
    expect(ui.toasts[0]?.action?.label).toBe("Undo");
    transport.push(["config", { hash: (hash = "by an editor") }]);
    await vi.waitFor(() => expect(texts()).toEqual([]));
  });

  it("takes the errors of a view with it when the view is left, and keeps the others", async () => {
    const [{ app, ui }, transport] = await start({
      "engine.restart": () => Promise.reject(new Error("it is busy")),
    });
    ui.view = "mappings";
    await app.restartEngine();
    ui.toast("Moved Pad 3", { action: { label: "Undo", run: () => {} } });
    transport.push(["notice", { text: "the disk is full", level: "error" }]);
    await vi.waitFor(() => expect(ui.toasts).toHaveLength(3));
    ui.navigate("mappings");
    expect(ui.toasts).toHaveLength(3);
    ui.navigate("modes");
    expect(ui.toasts.map(({ text }) => text)).toEqual(["Moved Pad 3", "The disk is full"]);
  });

  it("leaves the active mode as it is", async () => {
    const [{ modes }, transport] = await start({ "modes.switch": () => ({}) });
    transport.push(["status", { ...STATUS, mode: "Live" }]);
    await vi.waitFor(() => expect(modes.current).toBe("Live"));
    expect([await modes.switch("Live"), await modes.switch("Default")]).toEqual([true, true]);
    expect(transport.called("modes.switch")).toEqual([{ mode: "Default" }]);
  });

  it("offers to switch back from a mode that an agent switched to", async () => {
    const [{ ui }, transport] = await start({ "modes.switch": () => ({}) });
    const status = { ...STATUS, mode: "Live" };
    const agent = { mode: "Live", previous_mode: "Default", executable: null };
    transport.push(["mode_switch", { ...agent, caller: "page", client: null }]);
    transport.push(["mode_switch", { ...agent, caller: "chat", client: null }]);
    expect(ui.toasts).toEqual([]);
    transport.push(["mode_switch", { ...agent, caller: "mcp", client: "claude-code" }]);
    transport.push(["status", status]);
    expect(ui.toasts.map(({ text }) => text)).toEqual(["Claude Code switched to mode Live"]);
    ui.toasts[0]?.action?.run();
    await vi.waitFor(() => expect(transport.called("modes.switch")).toEqual([{ mode: "Default" }]));
    transport.push(["status", { ...status, mode: "Default" }]);
    expect(ui.toasts).toEqual([]);
  });

  it("changes nothing and says why when Conductor refuses", async () => {
    const refuse = () => {
      throw new Refusal({ code: "plan_stale", message: "The config has changed since." });
    };
    const [state] = await start({ "config.commit": refuse });
    expect(
      await state.config.apply([{ change_type: "DeleteMode", name: "Live" }], () => "Deleted Live"),
    ).toBe(false);
    expect(state.config.modes).toHaveLength(3);
    expect(state.ui.toasts.at(-1)).toMatchObject({
      tone: "error",
      text: "The config has changed since.",
    });
  });

  it("names places as changes do", () => {
    expect([scopeFields("mode:A:b"), scopeFields("profile:OBS"), scopeFields("global")]).toEqual([
      { mode: "A:b" },
      { profile: "OBS" },
      {},
    ]);
  });
});

describe("the monitor", () => {
  it("keeps the last events, and the newest of each control", async () => {
    const [state, transport] = await start();
    for (let batch = 0; batch < 5; batch++) {
      transport.push(
        ...Array.from(
          { length: 500 },
          (_, index) => ["trace", trace(batch * 500 + index + 1)] as [string, unknown],
        ),
      );
    }
    await waitFor(() => expect(state.monitor.total).toBe(2500));
    expect(state.monitor.traces).toHaveLength(MAX_TRACES);
    expect(state.monitor.traces.at(-1)?.sequence).toBe(2500);
    expect(state.monitor.valueOf(CONFIG.rows["mode:Default"]![0]!.controls[0]!)?.sequence).toBe(
      2500,
    );
    expect(state.monitor.fired.get("mode:Default#0")).toBe(2500);
  });

  it("keeps lighting controls while its list is paused", async () => {
    const [state, transport] = await start();
    state.monitor.paused = true;
    transport.push(["trace", trace(1)]);
    expect(state.monitor.traces).toHaveLength(0);
    expect(state.monitor.latest.size).toBe(1);
    expect(state.monitor.touched?.number).toBe(36);
  });

  it("asks for events as long as somebody watches, also after a new connection", async () => {
    const [state, transport] = await start();
    const [first, second] = [state.monitor.watch(), state.monitor.watch()];
    first();
    first();
    transport.setLink("lost");
    transport.setLink("open");
    second();
    await vi.waitFor(() =>
      expect(transport.called("monitor.watch")).toEqual([
        { on: true },
        { on: true },
        { on: false },
      ]),
    );
  });
});

describe("plans", () => {
  it("that newly wait are announced once", async () => {
    const [state, transport] = await start();
    const plan = { ...PLAN, plan_id: "new", description: "Something else" };
    transport.push(["plan", plan], ["plan", plan]);
    expect(state.plans.pending).toHaveLength(2);
    expect(state.ui.toasts.filter((toast) => toast.text.includes("Something else"))).toHaveLength(
      1,
    );
    transport.push(["plan", { ...plan, status: "applied" }]);
    expect(state.plans.pending).toHaveLength(1);
  });
});

describe("plans that wait when the page opens", () => {
  it("are not announced, also if they are proved again before they are listed", async () => {
    let list: () => void = () => {};
    const waits = new Promise<void>((resolve) => (list = resolve));
    const transport = fakeConductor({
      "plans.list": async () => (await waits, { plans: [PLAN] }),
    });
    const client = new Client(transport);
    const state = createState(client);
    client.start();
    await vi.waitFor(() => expect(transport.called("plans.list")).not.toEqual([]));
    transport.push(["plan", PLAN]);
    list();
    await vi.waitFor(() => expect(state.plans.loaded).toBe(true));
    expect(state.ui.toasts).toEqual([]);
  });
});

describe("modes and the app", () => {
  it("follow the status", async () => {
    const [state, transport] = await start();
    transport.push(["status", { ...STATUS, mode: "Stream", paused: true }]);
    flushSync();
    expect(state.modes.current).toBe("Stream");
    expect(state.modes.list.find((mode) => mode.active)?.name).toBe("Stream");
    expect(state.app.paused).toBe(true);
  });

  it("tell of a failed action", async () => {
    const [state, transport] = await start();
    transport.push([
      "failure",
      {
        mapping: "Mute",
        scope: "mode:Default",
        index: 0,
        action: { type: "Shell" },
        reason: "it is not there",
        time: 1,
        sequence: 3,
      },
    ]);
    expect(state.ui.toasts.at(-1)).toMatchObject({
      tone: "error",
      text: "Mute microphone failed: it is not there",
    });
    expect(state.monitor.failed.has(3)).toBe(true);
    transport.push([
      "failure",
      {
        mapping: "mode:Default #0",
        scope: "mode:Default",
        index: 0,
        action: { type: "Shell" },
        reason: "it is gone",
        time: 2,
        sequence: 4,
      },
    ]);
    expect(state.ui.toasts.at(-1)).toMatchObject({
      tone: "error",
      text: "Mute microphone failed: it is gone",
    });
  });

  it("take only colours for colours", () => {
    expect([
      safeColor("#12ab9F"),
      safeColor("teal"),
      safeColor("url(https://x)"),
      safeColor("red;background:url(x)"),
      safeColor(null),
    ]).toEqual(["#12ab9F", "#3fc4c9", null, null, null]);
  });
});

describe("the page", () => {
  it("asks, and closes an earlier question with no", async () => {
    const [{ ui }] = await start();
    const first = ui.confirm({ title: "One?", confirm: "Yes" });
    const second = ui.confirm({ title: "Two?", confirm: "Yes" });
    ui.confirming?.answer(true);
    expect([await first, await second]).toEqual([false, true]);
  });

  it("shows a message that comes again once", async () => {
    const [{ ui }] = await start();
    ui.toasts = [];
    ui.toast("Same");
    ui.toast("Same");
    expect(ui.toasts).toMatchObject([{ text: "Same", count: 2, showsCount: true }]);
    ui.toasts = [];
    const undo = { label: "Undo", run: () => {} };
    ui.toast("Done", { action: undo });
    ui.toast("Done", { action: undo });
    expect(ui.toasts).toMatchObject([{ text: "Done", count: 1, showsCount: false }]);
  });

  it("groups failures for one reason, and shows none that is on the screen", async () => {
    const [{ app, ui }, transport] = await start();
    const fail = (mapping: string, scope = "mode:Default"): void =>
      transport.push([
        "failure",
        {
          mapping,
          scope,
          index: 0,
          action: { type: "Text" },
          reason: "no X",
          time: 1,
          sequence: 5,
        },
      ]);
    fail("Mute");
    fail("Play");
    fail("Mute");
    expect(ui.toasts.map((toast) => toast.text)).toEqual(["3 actions failed: no X"]);
    ui.toasts = [];
    const hide = app.showFailures((failure) => failure.mapping === "Mute");
    fail("Mute");
    expect(ui.toasts).toEqual([]);
    hide();
    fail("preview 3", "preview");
    expect(ui.toasts.map((toast) => toast.text)).toEqual([
      "An action that was performed once failed: no X",
    ]);
  });
});
