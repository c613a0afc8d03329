/** The Mappings view: moving and filtering rows, and the state of a draft. */
import { dropPlaces } from "$lib/scopes";
import { fireEvent, render, screen, waitFor, within } from "@testing-library/svelte";
import userEvent from "@testing-library/user-event";
import { tick } from "svelte";
import { describe, expect, it, vi } from "vitest";
import { moveChanges, deleteChanges } from "../src/features/mappings/changes";
import { isSameConfig } from "../src/features/mappings/draft.svelte";
import { groupRows, NO_FILTER, splitKey } from "../src/features/mappings/rows";
import { keyOfPlace } from "$lib/overlaps";
import { Selection } from "../src/features/mappings/selection.svelte";
import { Client } from "$lib/client/client";
import type { Overlap, TriggerInput } from "$lib/client/types";
import { createState } from "$lib/state/state";
import { Refusal, type Handlers } from "$lib/transport/fake";
import { MappingRow } from "$ui";
import ChangeRows from "$ui/ChangeRows.svelte";
import App from "../src/App.svelte";
import "./load-views";
import { CONFIG, STATUS, fakeConductor, trace as sampleTrace } from "./sample";

const SIZES = { "mode:A": 4, "mode:B": 2, global: 0 };
const row = (scope: string, index: number) => ({
  scope,
  index,
  mapping: CONFIG.config.modes[0]!.mappings![0]!,
  words: CONFIG.rows["mode:Default"]![0]!,
});

describe("moving rows", () => {
  it("counts each move on those before it", () => {
    const { changes, keys } = moveChanges([row("mode:A", 0), row("mode:A", 2)], "mode:A", 4, SIZES);
    expect(changes).toEqual([
      { change_type: "MoveMapping", mode: "A", index: 0, to_index: 3 },
      { change_type: "MoveMapping", mode: "A", index: 1, to_index: 3 },
    ]);
    expect(keys).toEqual(["mode:A#2", "mode:A#3"]);
  });
  it("moves nothing that is there already", () => {
    expect(moveChanges([row("mode:A", 1)], "mode:A", 2, SIZES).changes).toEqual([]);
  });
  it("goes into another mode, and among the global ones", () => {
    expect(moveChanges([row("mode:A", 3)], "mode:B", 0, SIZES).changes).toEqual([
      { change_type: "MoveMapping", mode: "A", index: 3, to_index: 0, to_mode: "B" },
    ]);
    expect(moveChanges([row("mode:A", 3)], "global", 0, SIZES).changes).toEqual([
      { change_type: "MoveMapping", mode: "A", index: 3, to_index: 0, to_global: true },
    ]);
  });
  it("deletes from the end, so that the numbers stay true", () => {
    expect(
      deleteChanges([row("mode:A", 0), row("mode:A", 2)]).map(
        (change) => "index" in change && change.index,
      ),
    ).toEqual([2, 0]);
  });
});

describe("finding rows", () => {
  const rows = CONFIG.config.modes[0]!.mappings!.map((mapping, index) => ({
    scope: "mode:Default",
    index,
    mapping,
    words: CONFIG.rows["mode:Default"]![index]!,
  }));
  const found = (over: object) =>
    groupRows(rows, ["mode:Default"], { ...NO_FILTER, ...over })[0]!.rows.map((one) => one.index);

  it("finds by words, in trigger, action and description", () =>
    expect(found({ words: "mute" })).toEqual([0]));
  it("finds a control with a name of the user's own by its printed name too", () => {
    const words = { ...rows[0]!.words, trigger: "Kick drum", printed: "Pad 2" };
    const groups = groupRows([{ ...rows[0]!, words }, ...rows.slice(1)], ["mode:Default"], {
      ...NO_FILTER,
      words: "pad 2",
    });
    expect(groups[0]!.rows.map((row) => row.index)).toEqual([0]);
  });
  it("finds by the touched control", () =>
    expect(
      found({ touched: (control: { control_class: string }) => control.control_class === "cc" }),
    ).toEqual([2, 3]));
  it("keeps the rows of any device with a device", () =>
    expect(found({ device: "pads" })).toHaveLength(rows.length));
  it("reads places, also with # in a mode's name", () => {
    expect(keyOfPlace("mode:A #1 #3")).toBe("mode:A #1#3");
    expect(splitKey("mode:A #1#3")).toEqual({ scope: "mode:A #1", index: 3 });
  });
  it("names mappings without their place, unless two have one name", () => {
    const both = (first: string, second: string): string =>
      `\`${first}, mapping 1 of mode A\` delays \`${second}, mapping 2 of mode A\``;
    expect(dropPlaces(both("Undo", "Redo"))).toBe("`Undo` delays `Redo`");
    expect(dropPlaces(both("Undo", "Undo"))).toBe(both("Undo", "Undo"));
  });
});

describe("selecting", () => {
  it("extends from the anchor and back", () => {
    const selection = new Selection();
    const order = ["a", "b", "c", "d"];
    selection.set(["b"]);
    selection.extend("d", order);
    expect([...selection.keys]).toEqual(["b", "c", "d"]);
    selection.extend("a", order);
    expect([...selection.keys]).toEqual(["a", "b"]);
  });
});

it("takes what is null, empty or left out for equal", () => {
  expect(isSameConfig({ note: 1, device: null, when: [] }, { note: 1 })).toBe(true);
  expect(isSameConfig({ note: 1 }, { note: 2 })).toBe(false);
});

describe("a row", () => {
  it("separates its parts, for the eye and when it is read aloud", () => {
    const words = {
      trigger: "Hold Kick drum 500 ms",
      printed: "Pad 1",
      numbers: "note 36 (C1)",
      action: "F13",
      badges: [],
      device: "pads",
    };
    render(MappingRow, { props: { words, description: "play" } });
    expect(screen.getByText("pads · Hold Kick drum 500 ms · Pad 1 · note 36 (C1)")).toBeTruthy();
  });
});

describe("changed rows", () => {
  const side = (description: string | null, action = "Ctrl+C") => ({
    index: 0,
    mapping: { description, action },
    words: { trigger: "Pad 1", numbers: "", printed: "", action, badges: [], device: null },
  });
  const show = (before: ReturnType<typeof side> | null, after: ReturnType<typeof side> | null) => {
    const kind = before && after ? "changed" : after ? "added" : "removed";
    const change = { kind, scope: "", index: 0, before, after, text: "" } as const;
    const { container } = render(ChangeRows, { props: { changes: [change] } });
    const clean = (text: string | null) => text?.replace(/\s+/g, " ").trim();
    return [...container.querySelectorAll(".row")].map((row) => clean(row.textContent));
  };

  it("show a new name in one row", () => {
    expect(show(side(null), side("Copy"))).toEqual(["~Changed: 1 Copy Ctrl+C name added · Pad 1"]);
    expect(show(side("Copy"), side("Fetch"))).toEqual([
      "~Changed: 1 Fetch Ctrl+C renamed from “Copy” · Pad 1",
    ]);
    expect(show(side("Copy"), side(null))).toEqual([
      "~Changed: 1 Pad 1 Ctrl+C name “Copy” removed",
    ]);
  });
  it("begin with the name, as in the list of mappings, also where the name stays", () => {
    expect(show(null, side("Copy"))).toEqual(["+Added: 1 Copy Ctrl+C Pad 1"]);
    expect(show(side("Copy"), side("Copy", "Ctrl+X"))).toEqual([
      "−Removed: 1 Copy Ctrl+C Pad 1",
      "+Added: 1 Copy Ctrl+X Pad 1",
    ]);
  });
});

describe("the view", () => {
  async function open(over: Handlers = {}) {
    const transport = fakeConductor(over);
    const client = new Client(transport);
    const state = createState(client);
    state.ui.view = "mappings";
    client.start();
    render(App, { props: { state } });
    await screen.findByText("Mute microphone");
    return { transport, state };
  }

  const trace = (event: object): object => ({
    sequence: 9,
    event,
    mode: "Default",
    profile: null,
    outcome: "fired",
    candidates: [],
    effects: [],
    note: null,
    text: "",
    count: 1,
  });

  it("covers the list with the inspector where there is no room for both", async () => {
    const width = vi.spyOn(HTMLElement.prototype, "clientWidth", "get").mockReturnValue(592);
    try {
      await open();
      const list = screen.getByRole("grid").closest(".pane")!.parentElement!.closest(".pane")!;
      expect(screen.queryByRole("complementary", { name: "Inspector" })).toBeNull();
      // Moving through the list leaves it in sight.
      await fireEvent.keyDown(screen.getByRole("grid"), { key: "ArrowDown" });
      expect(screen.queryByRole("complementary", { name: "Inspector" })).toBeNull();
      await fireEvent.click(screen.getByText("Mute microphone"));
      await screen.findByLabelText("Name");
      expect(list.classList).toContain("covered");
      await fireEvent.click(screen.getByRole("button", { name: "Close the inspector" }));
      await waitFor(() => expect(list.classList).not.toContain("covered"));
      expect(screen.queryByRole("complementary", { name: "Inspector" })).toBeNull();
    } finally {
      width.mockRestore();
    }
  });

  it("moves a saved way there and back from one mode to all modes", async () => {
    const [mode, ...modes] = CONFIG.config.modes;
    const [first, ...others] = mode!.mappings!;
    const action = { type: "ModeChange", mode: "Live", behaviour: "toggle" };
    const mappings = [{ ...first!, action }, ...others];
    const { transport } = await open({
      "config.get": () => ({
        ...CONFIG,
        config: { ...CONFIG.config, modes: [{ ...mode!, mappings }, ...modes] },
      }),
    });
    await fireEvent.click(screen.getByText("Mute microphone"));
    await fireEvent.click(
      await screen.findByRole("button", { name: "Go there and back, in all modes" }),
    );
    await waitFor(() => expect(transport.called("config.commit")).toHaveLength(1));
    expect(transport.called("config.commit")[0]).toMatchObject({
      changes: [
        { change_type: "MoveMapping", mode: "Default", index: 0, to_index: 0, to_global: true },
      ],
    });
  });

  it("saves an edited description with the hash it was read with", async () => {
    const { transport } = await open();
    await fireEvent.click(screen.getByText("Mute microphone"));
    await fireEvent.input(await screen.findByLabelText("Name"), {
      target: { value: "Quiet" },
    });
    await fireEvent.click(screen.getByRole("button", { name: /^Save/ }));
    await waitFor(() => expect(transport.called("config.commit")).toHaveLength(1));
    expect(transport.called("config.commit")[0]).toMatchObject({
      base_hash: CONFIG.hash,
      changes: [{ change_type: "UpdateMapping", mode: "Default", index: 0, description: "Quiet" }],
    });
  });

  it("saves at once with Ctrl+Enter, also while the list of a field is open", async () => {
    const { transport } = await open();
    const user = userEvent.setup();
    await user.click(screen.getByText("Mute microphone"));
    const note = await screen.findByRole("combobox", { name: "Note" });
    await user.clear(note);
    await user.type(note, "41");
    await screen.findByRole("option", { name: /41/ });
    await user.keyboard("{Control>}{Enter}{/Control}");
    await waitFor(() =>
      expect(transport.called("config.commit")).toMatchObject([
        { changes: [{ change_type: "UpdateMapping", trigger: { note: 41 } }] },
      ]),
    );
  });

  it("cancels a new mapping with Esc level by level, and keeps the focus until then", async () => {
    const { state } = await open();
    const user = userEvent.setup();
    state.ui.navigate("mappings", {
      kind: "draft",
      start: { trigger: { type: "Note", note: 41 }, action: { type: "Text", text: "hello" } },
    });
    const kind = await screen.findByRole("combobox", { name: "Do: kind" });
    await user.click(kind);
    await user.keyboard("{ArrowDown}");
    await screen.findByRole("listbox");
    await user.keyboard("{Escape}");
    await waitFor(() => expect(screen.queryByRole("listbox")).toBeNull());
    expect(document.activeElement).toBe(kind);
    expect(screen.queryByRole("dialog")).toBeNull();
    await user.keyboard("{Escape}");
    const question = await screen.findByRole("dialog", { name: "Discard this mapping?" });
    await user.click(within(question).getByRole("button", { name: "Discard" }));
    await waitFor(() => expect(screen.queryByRole("combobox", { name: "Do: kind" })).toBeNull());
  });

  it("warns that an app in front cannot be detected, instead of a green tick", async () => {
    const { state } = await open({
      "apps.front": () => ({
        executable: "",
        bundle_id: "",
        title: "",
        supported: false,
        reason: "there is no display",
        seen: [],
      }),
    });
    state.ui.navigate("mappings", {
      kind: "draft",
      start: {
        trigger: { type: "Note", note: 41, when: [{ type: "AppFrontmost", app: "obs" }] },
        action: { type: "Text", text: "a" },
      },
    });
    expect(
      await screen.findByText(/cannot detect the foreground app: there is no display/),
    ).toBeTruthy();
    expect(screen.queryByText("No conflicts")).toBeNull();
  });

  it("warns in the list of a mapping that cannot detect the app in front", async () => {
    const [first, ...others] = CONFIG.config.modes[0]!.mappings!;
    const when = [{ type: "AppFrontmost" as const, app: "obs" }];
    const mappings = [{ ...first!, trigger: { ...first!.trigger, when } }, ...others];
    const modes = [{ ...CONFIG.config.modes[0]!, mappings }, ...CONFIG.config.modes.slice(1)];
    await open({
      "config.get": () => ({ ...CONFIG, config: { ...CONFIG.config, modes } }) as never,
      "apps.front": () => ({
        executable: "",
        bundle_id: "",
        title: "",
        supported: false,
        reason: "there is no display",
        seen: [],
      }),
    });
    expect(await screen.findByRole("img", { name: /there is no display/ })).toBeTruthy();
  });

  it("closes at once while a change is being saved, without a question", async () => {
    let answer = (): void => {};
    const { transport } = await open({
      "config.commit": () =>
        new Promise((resolve) => {
          answer = () => resolve({ hash: "sha256:new" } as never);
        }),
    });
    await fireEvent.click(screen.getByText("Mute microphone"));
    const field = await screen.findByRole("textbox", { name: "Name" });
    await fireEvent.input(field, { target: { value: "Another" } });
    await fireEvent.keyDown(field, { key: "s", ctrlKey: true });
    await waitFor(() => expect(transport.called("config.commit")).toHaveLength(1));
    await fireEvent.click(screen.getByRole("button", { name: "Close the inspector" }));
    expect(screen.queryByRole("dialog", { name: "Save this mapping?" })).toBeNull();
    answer();
    await screen.findByText("Select a mapping");
  });

  it("does not ask whether to save what cannot be saved", async () => {
    const { state, transport } = await open({
      "config.preview": () => {
        const path = "changes.0.mapping.action.text";
        const data = { fields: [{ path, message: "must have at least 1 character" }] };
        throw new Refusal({ code: "invalid_change", message: "invalid", data });
      },
    });
    state.ui.navigate("mappings", {
      kind: "draft",
      start: {
        trigger: { type: "Note", note: 41 },
        action: { type: "Text", text: "" },
        description: "Greet",
      },
    });
    const text = await screen.findByRole("textbox", { name: "Text" });
    await waitFor(() => expect(transport.called("config.preview")).toHaveLength(1));
    await fireEvent.keyDown(text, { key: "Escape" });
    const question = await screen.findByRole("dialog", { name: "Discard this mapping?" });
    expect(within(question).queryByRole("button", { name: "Save" })).toBeNull();
  });

  it("asks before an unsaved draft is left, and stays when told to", async () => {
    const { state } = await open();
    await fireEvent.click(screen.getByText("Mute microphone"));
    const name = await screen.findByLabelText("Name");
    name.focus();
    await fireEvent.input(name, { target: { value: "Quiet" } });
    const elsewhere = screen.getByRole("button", { name: /^Activity/ });
    elsewhere.focus();
    await fireEvent.click(elsewhere);
    await fireEvent.click(await screen.findByRole("button", { name: "Keep editing" }));
    await waitFor(() => expect(document.activeElement).toBe(name));
    expect(state.ui.view).toBe("mappings");
  });

  it("asks before it saves on top of a newer config", async () => {
    let first = true;
    const { transport, state } = await open({
      "config.commit": () => {
        if (!first) return { hash: "b".repeat(64) };
        first = false;
        throw new Refusal({ code: "config_stale", message: "the config changed" });
      },
    });
    await fireEvent.click(screen.getByText("Mute microphone"));
    await fireEvent.input(await screen.findByLabelText("Name"), {
      target: { value: "Quiet" },
    });
    await fireEvent.click(screen.getByRole("button", { name: /^Save/ }));
    await waitFor(() => expect(state.ui.confirming?.title).toContain("changed in the meantime"));
    expect(transport.called("config.commit")).toHaveLength(1);
    state.ui.confirming!.answer(true);
    await waitFor(() => expect(transport.called("config.commit")).toHaveLength(2));
  });

  it("deletes what is selected with the keyboard, and offers undo", async () => {
    const { transport } = await open();
    await fireEvent.click(screen.getByText("Mute microphone"));
    await fireEvent.keyDown(screen.getByRole("grid"), { key: "Delete" });
    await waitFor(() =>
      expect(transport.called("config.commit")[0]).toMatchObject({
        changes: [{ change_type: "DeleteMapping", mode: "Default", index: 0 }],
      }),
    );
    await fireEvent.click(await screen.findByRole("button", { name: "Undo" }));
    await waitFor(() => expect(transport.called("config.undo")).toHaveLength(1));
  });

  it("shows the virtual controller for a new mapping when there is no device", async () => {
    const { transport } = await open({
      "devices.list": () => ({
        devices: [
          {
            device_id: "virtual",
            port_name: "Virtual controller",
            kind: "virtual",
            connected: true,
            enabled: true,
            is_configured: false,
            problem: null,
          },
        ],
        aliases: [],
        outputs: [],
      }),
    });
    await fireEvent.click(screen.getAllByRole("button", { name: /^New mapping(?! in)/ })[0]!);
    await waitFor(() => expect(transport.called("virtual.layout")).toHaveLength(1));
  });
  it("draws a device whose controls can be clicked", async () => {
    const event = { kind: "note_on", device: "pads", channel: 1, number: 36, value: 9, time: 0 };
    const { transport } = await open();
    await fireEvent.click(screen.getAllByRole("button", { name: /^New mapping(?! in)/ })[0]!);
    const inspector = screen.getByRole("complementary", { name: "Inspector" });
    await waitFor(() => expect(document.activeElement).toBe(inspector.firstElementChild));
    expect(within(inspector).getByLabelText("Device: pads")).toBeTruthy();
    transport.push(["trace", trace(event)]);
    const pad = await within(inspector).findByRole("button", { name: /Note 36/ });
    await fireEvent.pointerDown(pad, { button: 0 });
    expect(await screen.findByRole("group", { name: "Do" })).toBeTruthy();
    expect(screen.getByRole("group", { name: "Common actions" })).toBeTruthy();
  });

  it("focuses the form for a control that is chosen by hand", async () => {
    await open();
    await fireEvent.click(screen.getAllByRole("button", { name: /^New mapping(?! in)/ })[0]!);
    await fireEvent.click(await screen.findByRole("button", { name: "Choose manually" }));
    const kind = screen.getByRole("combobox", { name: "When: kind" });
    await waitFor(() => expect(document.activeElement).toBe(kind));
  });

  it("asks for the control of a kind that is chosen by hand", async () => {
    const { transport } = await open();
    const user = userEvent.setup();
    await user.click(screen.getAllByRole("button", { name: /^New mapping(?! in)/ })[0]!);
    await user.click(await screen.findByRole("button", { name: "Choose manually" }));
    await user.click(screen.getByRole("combobox", { name: "When: kind" }));
    await user.keyboard("note");
    await user.click((await screen.findAllByRole("option", { name: /^Note/ }))[0]!);
    const note = await screen.findByRole<HTMLInputElement>("combobox", { name: "Note" });
    await waitFor(() => expect(document.activeElement).toBe(note));
    expect(note.value).toBe("");
    await user.keyboard("37{Enter}");
    await waitFor(() =>
      expect(transport.called("config.describe").at(-1)).toMatchObject({
        trigger: { type: "Note", note: 37 },
      }),
    );
    expect(screen.getByRole("combobox", { name: "When: kind" })).toBeTruthy();
  });

  const heard = (): Handlers => ({
    "learn.poll": () => ({
      events: [
        { kind: "note_on", device: "pads", channel: 1, number: 38, value: 9, time: 1, text: "x" },
      ],
      suggestions: [
        {
          trigger: { type: "Note", note: 38 },
          why: "",
          confidence: 0.9,
          words: { ...CONFIG.rows["mode:Default"]![0]!, trigger: "Note 38" },
        },
      ],
    }),
  });

  it("uses the control that was heard at Enter", async () => {
    await open(heard());
    await fireEvent.click(screen.getAllByRole("button", { name: /^New mapping(?! in)/ })[0]!);
    await screen.findByText("Is this the one?");
    await fireEvent.keyDown(document.activeElement!, { key: "Enter" });
    expect(await screen.findByRole("group", { name: "Common actions" })).toBeTruthy();
    const first = screen.getByRole("group", { name: "Common actions" }).firstElementChild;
    await waitFor(() => expect(document.activeElement).toBe(first));
  });

  it("leaves Enter and digits to the fields and links that use them", async () => {
    await open(heard());
    await fireEvent.click(screen.getAllByRole("button", { name: /^New mapping(?! in)/ })[0]!);
    await screen.findByText("Is this the one?");
    const others = document.createElement("div");
    others.innerHTML =
      "<input /><textarea></textarea><select></select><a href='#x'>x</a>" +
      "<details><summary>x</summary></details><div contenteditable='true'><p>x</p></div>";
    document.body.append(others);
    try {
      for (const element of others.querySelectorAll("input, textarea, select, a, summary, p"))
        for (const key of ["Enter", "1"]) {
          const isFree = await fireEvent.keyDown(element, { key });
          expect(isFree, `${key} in ${element.tagName}`).toBe(true);
        }
      expect(screen.getByText("Is this the one?")).toBeTruthy();
    } finally {
      others.remove();
    }
  });

  it("starts the recorder of a keystroke at a double click, which Esc ends", async () => {
    const { transport } = await open();
    const text = screen.getByText("Mute microphone");
    await fireEvent.click(text);
    await fireEvent.click(text);
    await fireEvent.dblClick(text);
    const recorder = await screen.findByRole("button", { name: "Stop" });
    await waitFor(() => expect(document.activeElement).toBe(recorder));
    for (const [key, code] of [
      ["Control", "ControlLeft"],
      ["J", "KeyJ"],
    ])
      await fireEvent.keyDown(recorder, { key, code });
    await fireEvent.keyDown(document.activeElement!, { key: "Enter", ctrlKey: true });
    await waitFor(() =>
      expect(transport.called("config.commit")[0]).toMatchObject({
        changes: [{ action: { type: "Keystroke", keys: ["ctrl", "j"] } }],
      }),
    );
  });

  it("returns the focus to the list when the inspector closes", async () => {
    await open();
    await fireEvent.click(screen.getByText("Mute microphone"));
    const close = await screen.findByRole("button", { name: "Close the inspector" });
    close.focus();
    await fireEvent.click(close);
    await waitFor(() => expect(document.activeElement).toBe(screen.getByRole("grid")));
  });

  it("saves the first mapping of a profile that was opened from Profiles, without a question", async () => {
    let saved = false;
    const mapping = CONFIG.config.modes[0]!.mappings![0]!;
    const profile = { ...CONFIG.config.profiles[0]!, mappings: [mapping] };
    const words = { "profile:OBS": [CONFIG.rows["mode:Default"]![0]!] };
    const after = {
      ...CONFIG,
      hash: "after",
      config: { ...CONFIG.config, profiles: [profile] },
      rows: { ...CONFIG.rows, ...words },
    };
    const { state, transport } = await open({
      ...heard(),
      "config.get": () => (saved ? after : CONFIG),
      "config.commit": () => {
        saved = true;
        return { hash: "after" } as never;
      },
    });
    state.ui.navigate("mappings", { kind: "row", scope: "profile:OBS", index: 0 });
    await tick();
    await fireEvent.click(screen.getByRole("button", { name: "New mapping in OBS" }));
    await screen.findByText("Is this the one?");
    await fireEvent.keyDown(document.activeElement!, { key: "Enter" });
    const tiles = await screen.findByRole("group", { name: "Common actions" });
    await fireEvent.click(within(tiles).getByRole("button", { name: /olume/ }));
    const inspector = screen.getByRole("complementary", { name: "Inspector" });
    await fireEvent.keyDown(inspector.querySelector(".editor")!, { key: "Enter", ctrlKey: true });
    await waitFor(() => expect(transport.called("config.commit")).toHaveLength(1));
    await waitFor(() => expect(within(inspector).getByText("Saved")).toBeTruthy());
    expect(screen.queryByRole("dialog", { name: /Save this mapping/ })).toBeNull();
  });

  it("focuses the list when the inspector closes after the focused button has gone", async () => {
    await open();
    await fireEvent.click(screen.getByText("Mute microphone"));
    const close = await screen.findByRole("button", { name: "Close the inspector" });
    (document.activeElement as HTMLElement).blur();
    await fireEvent.click(close);
    await waitFor(() => expect(document.activeElement).toBe(screen.getByRole("grid")));
  });

  it("shows one outcome of a test, also if the failure is reported later", async () => {
    const { state, transport } = await open({ "actions.test": () => ({}) });
    await fireEvent.click(screen.getByText("Mute microphone"));
    await fireEvent.click(await screen.findByRole("button", { name: "Test" }));
    await screen.findByText("The action ran.");
    transport.push([
      "failure",
      {
        mapping: "preview 1",
        scope: "preview",
        index: 0,
        action: { type: "Keystroke" },
        reason: "no keyboard",
        time: 1,
        sequence: 1,
      },
    ]);
    await screen.findByText("The action failed: no keyboard");
    expect(screen.queryByText("The action ran.")).toBeNull();
    expect(state.ui.toasts).toEqual([]);
  });

  it("keeps the failure of a mapping on it until it works, wherever it moves", async () => {
    let view = CONFIG;
    const { state, transport } = await open({ "config.get": () => view });
    const failure = { scope: "mode:Default", index: 0, mapping: "mode:Default #0", time: 1 };
    const reason = "there is no program or app `obs-studio` on this computer";
    const sent = { ...failure, action: { type: "Launch" }, reason, sequence: 5 };
    transport.push(["failure", sent]);
    const plain = "There is no program or app “obs-studio” on this computer.";
    const mark = await screen.findByRole("img", { name: plain });
    expect(mark.closest("[role=row]")?.textContent).toContain("Mute microphone");
    const [toast] = state.ui.toasts;
    expect(toast?.text).toBe(`Mute microphone failed: ${reason}`);
    expect(toast?.action?.label).toBe("Edit");
    state.ui.holdToasts(true);
    state.ui.holdToasts(false);
    const mode = CONFIG.config.modes[0]!;
    const added = { ...mode.mappings![1]!, description: "Another one" };
    view = {
      ...CONFIG,
      hash: "e".repeat(64),
      config: { ...CONFIG.config, modes: [{ ...mode, mappings: [added, ...mode.mappings!] }] },
      rows: {
        ...CONFIG.rows,
        "mode:Default": [CONFIG.rows["mode:Default"]![1]!, ...CONFIG.rows["mode:Default"]!],
      },
    };
    transport.push(["config", { hash: view.hash }]);
    await screen.findByText("Another one");
    const moved = screen.getByRole("img", { name: plain }).closest("[role=row]");
    expect(moved?.id).toBe("row-mode:Default#1");
    await fireEvent.click(screen.getByText("Mute microphone"));
    await within(screen.getByRole("region", { name: "Effects on other mappings" })).findByRole(
      "alert",
    );
    expect(screen.queryByText("No conflicts.")).toBeNull();
    const fired = { scope: "mode:Default", index: 1, outcome: "fired" as const };
    transport.push(["trace", { ...sampleTrace(6), candidates: [fired as never] }]);
    await waitFor(() => expect(screen.queryByRole("img", { name: plain })).toBeNull());
    expect(state.ui.toasts).toEqual([]);
  });

  it("says once that an output is missing, with the advice of the failure", async () => {
    const { state, transport } = await open({
      "config.missing": () => ({
        parts: ["no MIDI output is called `IAC` now", "no MIDI output is called `Synth` now"].map(
          (message) => ({ scope: "mode:Default", index: 0, message }),
        ),
      }),
    });
    const reason = "no MIDI output named `IAC`; there are no outputs now; plug one in";
    const action = { type: "SendMidi" };
    const place = { scope: "mode:Default", index: 0, mapping: "mute", time: 1, sequence: 5 };
    transport.push(["failure", { ...place, action, reason }]);
    await waitFor(() =>
      expect(state.problems.of(state.config.row("mode:Default", 0)!)).toEqual([
        reason,
        "no MIDI output is called `Synth` now",
      ]),
    );
  });

  it("shows the failures that happened before the page was opened", async () => {
    const [first, second] = CONFIG.config.modes[0]!.mappings!;
    const place = { scope: "mode:Default", time: 1, mapping: "mute" };
    const failure = (index: number, action: unknown, reason: string, sequence: number) =>
      ({ ...place, index, action, reason, sequence }) as never;
    const fired = { scope: "mode:Default", index: 1, outcome: "fired" as const };
    await open({
      "monitor.recent": () => ({
        traces: [sampleTrace(5), { ...sampleTrace(7), candidates: [fired as never] }],
        failures: [
          failure(0, first!.action, "no keyboard", 5),
          failure(1, second!.action, "worked since", 6),
          failure(0, { type: "Text", text: "of an older config" }, "deleted since", 5),
        ],
        epoch: 0,
      }),
    });
    const mark = await screen.findByRole("img", { name: "No keyboard." });
    expect(mark.closest("[role=row]")?.id).toBe("row-mode:Default#0");
    expect(screen.queryByRole("img", { name: /worked since/i })).toBeNull();
    expect(screen.queryByRole("img", { name: /deleted since/i })).toBeNull();
  });

  it("says while an action is edited what this computer lacks", async () => {
    const message = "there is no program or app `obs-studio` on this computer";
    await open({
      "config.missing": ({ action }: { action: object | null }) => ({
        parts: action
          ? [{ scope: null, index: null, message }]
          : [{ scope: "mode:Default", index: 1, message: "no such output" }],
      }),
    });
    expect(await screen.findByRole("img", { name: "No such output." })).toBeTruthy();
    await fireEvent.click(screen.getByText("Mute microphone"));
    await fireEvent.click(await screen.findByRole("radio", { name: "While held" }));
    expect((await screen.findAllByRole("alert"))[0]!.textContent).toContain("obs-studio");
    expect(screen.getByRole("button", { name: "1 warning" })).toBeTruthy();
  });

  it("shows at a tap how long it waits for another gesture", async () => {
    const message = "the double tap of `Pad 1` delays its tap by 350 ms";
    const places = ["mode:Default #1", "mode:Default #0"];
    const wait = { until_release: false, delay_ms: 350 };
    await open({
      "config.get": () => ({
        ...CONFIG,
        overlaps: [
          { ...CONFIG.overlaps[0]!, kind: "tap_delayed", message, places, tap_wait: wait },
        ],
      }),
    });
    const [row] = screen.getAllByRole("row").filter((one) => one.textContent.includes("+350 ms"));
    expect(row!.id).toBe("row-mode:Default#0");
  });

  it("keeps the warnings of a mapping while its name is edited, and saves it at Enter", async () => {
    const message = "no such output";
    const { transport } = await open({
      "config.missing": () => ({ parts: [{ scope: "mode:Default", index: 0, message }] }),
    });
    await screen.findByRole("img", { name: "No such output." });
    await fireEvent.click(screen.getByText("Mute microphone"));
    const user = userEvent.setup();
    await user.type(await screen.findByRole("textbox", { name: "Name" }), " now");
    expect(screen.getByRole("alert").textContent).toContain("No such output");
    await user.keyboard("{Enter}");
    await waitFor(() =>
      expect(transport.called("config.commit")).toMatchObject([
        { changes: [{ description: "Mute microphone now" }] },
      ]),
    );
  });

  it("asks for the action of a new mapping first, and closes an empty one at once", async () => {
    const { state } = await open();
    state.ui.navigate("mappings", {
      kind: "draft",
      start: { trigger: { type: "Note", note: 41 } },
    });
    const actions = await screen.findByRole("group", { name: "Common actions" });
    const [first] = within(actions).getAllByRole("button");
    expect(document.activeElement).toBe(first);
    await fireEvent.keyDown(first!, { key: "ArrowRight" });
    const [, second, ...others] = within(actions).getAllByRole("button");
    expect(document.activeElement).toBe(second);
    expect([first, second, ...others].filter((one) => one!.tabIndex === 0)).toEqual([second]);
    expect(screen.queryByRole("combobox", { name: "When: kind" })).toBeNull();
    await fireEvent.click(screen.getByRole("button", { name: "Change" }));
    expect(screen.getByRole("combobox", { name: "When: kind" })).toBeTruthy();
    await fireEvent.click(within(actions).getByRole("button", { name: "Type text" }));
    const text = await screen.findByRole("textbox", { name: "Text" });
    await fireEvent.keyDown(text, { key: "Escape" });
    await screen.findByText("Select a mapping");
    expect(screen.queryByRole("dialog")).toBeNull();
  });

  it("asks at a new mapping what becomes of the one that has its trigger", async () => {
    const { state, transport } = await open();
    const start = { trigger: { type: "Note" as const, note: 36 } };
    state.ui.navigate("mappings", { kind: "draft", start });
    const [replace] = within(
      await screen.findByRole("radiogroup", { name: "Existing mapping" }),
    ).getAllByRole("radio");
    expect(document.activeElement).toBe(replace);
    await fireEvent.click(screen.getByRole("button", { name: "Volume" }));
    const add = screen.getByRole("button", { name: /^Add mapping/ }) as HTMLButtonElement;
    const name = screen.getByRole("textbox", { name: "Name" });
    await fireEvent.keyDown(name, { key: "Enter", ctrlKey: true });
    await waitFor(() => expect(document.activeElement).toBe(replace));
    expect(add.disabled).toBe(true);
    expect(transport.called("config.commit")).toEqual([]);

    await fireEvent.click(replace!);
    await waitFor(() => expect(add.disabled).toBe(false));
    expect(add.textContent).toContain("Replace mapping");
    expect(name).toHaveProperty("value", "Mute microphone");
    await fireEvent.keyDown(name, { key: "Enter", ctrlKey: true });
    await waitFor(() => expect(transport.called("config.commit")).toHaveLength(1));
    expect(transport.called("config.commit")).toMatchObject([
      { changes: [{ change_type: "UpdateMapping", mode: "Default", index: 0 }] },
    ]);
    await waitFor(() =>
      expect(state.ui.toasts.map(({ text }) => text)).toEqual([
        expect.stringContaining("Changed “Mute microphone”"),
      ]),
    );
  });

  it("asks at Cancel whether to discard a new mapping, and before another view whether to save", async () => {
    const { state } = await open();
    state.ui.navigate("mappings", {
      kind: "draft",
      start: { trigger: { type: "Note", note: 41 }, description: "Louder" },
    });
    await fireEvent.click(await screen.findByRole("button", { name: "Volume" }));
    await fireEvent.click(screen.getByRole("button", { name: "Cancel" }));
    const question = await screen.findByRole("dialog", { name: "Discard this mapping?" });
    expect(question.textContent).toContain("Louder is not saved yet.");
    await fireEvent.click(within(question).getByRole("button", { name: "Keep editing" }));
    state.ui.navigate("activity");
    const leaving = await screen.findByRole("dialog", { name: "Save this mapping?" });
    await fireEvent.click(within(leaving).getByRole("button", { name: "Keep editing" }));
    await fireEvent.click(screen.getByRole("button", { name: "Cancel" }));
    const again = await screen.findByRole("dialog", { name: "Discard this mapping?" });
    await fireEvent.click(within(again).getByRole("button", { name: "Discard" }));
    await screen.findByText("Select a mapping");
  });

  it("shows a name in its title while it is typed", async () => {
    await open();
    await fireEvent.click(screen.getByText("Mute microphone"));
    const name = await screen.findByLabelText("Name");
    const inspector = within(screen.getByRole("complementary", { name: "Inspector" }));
    const title = inspector.getByRole("heading", { name: "Mute microphone" });
    await fireEvent.input(name, { target: { value: "Quiet" } });
    expect(title.textContent).toBe("Quiet");
    // Without a name, what the mapping does is the title.
    const sentence = title.parentElement!.querySelector("p")!;
    expect(sentence.className).not.toContain("lead");
    await fireEvent.input(name, { target: { value: "" } });
    expect(sentence.className).toContain("lead");
    expect(inspector.getByText("Name")).toBeTruthy();
  });

  it("marks a conflict in its foot as in its checks and in the list", async () => {
    const overlap = {
      kind: "duplicate",
      severity: "error",
      message: "`Hold` never acts: `Mute` goes first",
      places: ["mode:Default #1", "mode:Default #0"],
      is_new: false,
      gesture: null,
      control_names: [],
    } as const;
    const { state, transport } = await open();
    const view = state.config.view!;
    transport.handlers["config.get"] = () => ({ ...view, overlaps: [overlap] });
    await state.config.load();
    await fireEvent.click(screen.getByText("Mute microphone"));
    const found = await screen.findByRole("button", { name: "1 conflict" });
    expect([...found.classList]).toContain("error");
    const note = screen.getByText("“Hold” never acts: “Mute” goes first.");
    expect(within(note.closest<HTMLElement>(".note")!).getByLabelText("error")).toBeTruthy();
  });

  it("tells a failure of a mapping and its conflicts apart in the list", async () => {
    const conflict = (message: string): Overlap => ({
      ...{ kind: "shadowed", severity: "warning", message, is_new: false, gesture: null },
      ...{ places: ["mode:Default #0", "mode:Default #1"], control_names: [], tap_wait: null },
    });
    const { state, transport } = await open();
    const view = state.config.view!;
    const overlaps = [conflict("this mapping never acts: `Mute` goes first"), conflict("more")];
    transport.handlers["config.get"] = () => ({ ...view, overlaps });
    await state.config.load();
    const place = { scope: "mode:Default", index: 0, mapping: "mute", time: 1, sequence: 5 };
    const action = { type: "Keystroke" };
    transport.push(["failure", { ...place, index: 1, action, reason: "no keyboard" }]);
    const failure = await screen.findByRole("img", { name: "No keyboard." });
    const row = within(failure.closest<HTMLElement>("[role=row]")!);
    const loser = row.getByText("loses").parentElement!;
    expect(loser.getAttribute("aria-label")).toBe(
      "This mapping never acts: “Mute” goes first.\nMore.",
    );
    expect([...loser.classList]).not.toContain("error");
  });

  describe("offers for a conflict", () => {
    const OVERLAP = {
      kind: "duplicate",
      severity: "error",
      message:
        "`Say hello, mapping 5 of mode Default` never fires: `Mute microphone, mapping 1 of mode" +
        " Default` has the same trigger and comes first",
      places: ["mode:Default #0", "mode:Default #4"],
      is_new: true,
      gesture: null,
      control_names: [],
      tap_wait: null,
    } as const;
    /** Open the second one of two mappings of one press. The control has a hold already. */
    async function openLoser(over: Partial<Overlap> = {}, more?: TriggerInput) {
      const [mode, ...modes] = CONFIG.config.modes;
      const mappings = mode!.mappings!;
      const loser = { ...mappings[0]!, description: "Say hello" };
      const others = more
        ? [{ ...mappings[0]!, description: "Other", trigger: more as never }]
        : [];
      const config = {
        ...CONFIG.config,
        modes: [{ ...mode!, mappings: [...mappings, loser, ...others] }, ...modes],
      };
      const words = CONFIG.rows["mode:Default"]!;
      const added = [loser, ...others].map(() => words[0]!);
      const { transport } = await open({
        "config.get": () => ({
          ...CONFIG,
          config,
          rows: { ...CONFIG.rows, "mode:Default": [...words, ...added] },
          overlaps: [{ ...OVERLAP, ...over }],
        }),
      });
      await fireEvent.click(screen.getByText("Say hello"));
      return { transport, checks: within(await screen.findByRole("region", { name: /^Effects/ })) };
    }

    it("to switch off the other mapping", async () => {
      const { transport, checks } = await openLoser();
      await fireEvent.click(checks.getByRole("button", { name: "Switch off the other mapping" }));
      await screen.findByText("Switched off “Mute microphone”");
      const place = { mode: "Default", index: 0, enabled: false };
      expect(transport.called("config.commit")).toMatchObject([
        { changes: [{ change_type: "UpdateMapping", ...place }] },
      ]);
    });

    it("to delete the one that never fires", async () => {
      const { transport, checks } = await openLoser();
      await fireEvent.click(checks.getByRole("button", { name: "Delete this mapping" }));
      await screen.findByText("Deleted “Say hello”");
      expect(transport.called("config.commit")).toMatchObject([
        { changes: [{ change_type: "DeleteMapping", mode: "Default", index: 4 }] },
      ]);
    });

    it("another gesture that no mapping of the control uses", async () => {
      const { checks } = await openLoser();
      expect(checks.queryByRole("button", { name: /^Make this a hold/ })).toBeNull();
      await fireEvent.click(checks.getByRole("button", { name: "Make this a double tap" }));
      const kind = await screen.findByRole<HTMLInputElement>("combobox", { name: "When: kind" });
      expect(kind.value).toBe("Double tap");
      expect(checks.queryByRole("button", { name: "Make this a double tap" })).toBeNull();
    });

    it("no gesture that a mapping of one device uses", async () => {
      const { checks } = await openLoser({}, { type: "DoubleTap", note: 36, device: "pads" });
      expect(checks.getByRole("button", { name: "Switch off the other mapping" })).toBeTruthy();
      expect(checks.queryByRole("button", { name: /^Make this/ })).toBeNull();
    });

    it("nothing where both act", async () => {
      const { checks } = await openLoser({ kind: "shadowed", severity: "info" });
      expect(checks.getByText("wins")).toBeTruthy();
      expect(checks.queryByRole("button", { name: /^Switch off|^Make this/ })).toBeNull();
    });
  });

  it("closes the list of a field that is scrolled out of view", async () => {
    await open();
    await fireEvent.click(screen.getByText("Mute microphone"));
    const kind = await screen.findByRole("combobox", { name: "Do: kind" });
    await fireEvent.click(kind);
    await screen.findByRole("listbox");
    const place = (one: Element, top: number): unknown =>
      vi.spyOn(one, "getBoundingClientRect").mockReturnValue(new DOMRect(0, top, 300, 30));
    const [field, scroller] = [kind.parentElement!, kind.closest(".body")!];
    place(scroller, 100);
    place(field, 110);
    await fireEvent.scroll(scroller);
    expect(screen.queryByRole("listbox")).not.toBeNull();
    place(field, 60);
    await fireEvent.scroll(scroller);
    await waitFor(() => expect(screen.queryByRole("listbox")).toBeNull());
  });

  it("shows no sign of success before anything was checked", async () => {
    const { state } = await open();
    const start = { trigger: { type: "Note" as const, note: 41 } };
    state.ui.navigate("mappings", { kind: "draft", start });
    const hint = await screen.findByText("Conflicts with other mappings appear here.");
    expect(hint.querySelector("svg")).toBeNull();
  });

  it("adds a new mapping to the current mode, also while a row of a group is selected", async () => {
    const { transport } = await open();
    transport.push(["status", { ...STATUS, mode: "Live" }]);
    const place = () => screen.findByLabelText(/^Add to/).then((one) => one.textContent);
    await fireEvent.click(screen.getByText("Mute microphone"));
    await screen.findByRole("button", { name: "Close the inspector" });
    await fireEvent.keyDown(screen.getByRole("grid"), { key: "n" });
    expect(await place()).toContain("Live");
    await fireEvent.click(screen.getByRole("button", { name: "New mapping in All modes" }));
    await waitFor(async () => expect(await place()).toContain("All modes"));
  });

  it("announces a mode without a way back as a warning, and a delay as a note", async () => {
    const overlap = {
      gesture: null,
      control_names: [],
      places: ["mode:Default #1"],
      is_new: true,
      message: "A double tap delays the tap by 250 ms",
    };
    const { state } = await open({
      "config.preview": () =>
        ({
          overlaps: [
            { ...overlap, kind: "tap_delayed", severity: "info" },
            { ...overlap, kind: "no_way_back", severity: "warning" },
          ],
          broken_examples: [],
          impact: null,
          replay: null,
        }) as never,
    });
    state.ui.navigate("mappings", {
      kind: "draft",
      start: {
        trigger: { type: "Note", note: 41 },
        action: { type: "ModeChange", mode: "Live", behaviour: "switch" },
      },
    });
    expect(await screen.findByRole("button", { name: "1 warning · 1 note" })).toBeTruthy();
  });

  it("shows the rows of the next control that is touched", async () => {
    const { transport } = await open();
    await fireEvent.click(screen.getByRole("button", { name: "Find by touching a control" }));
    const event = { kind: "cc", device: "pads", channel: 1, number: 20, value: 3, time: 0 };
    transport.push(["trace", trace(event)]);
    await waitFor(() => expect(screen.queryByText("Mute microphone")).toBeNull());
    expect(screen.getByText("CC 20 on pads")).toBeTruthy();
  });

  it("shows the mappings of a device that Devices counts, with the device selected", async () => {
    const width = vi.spyOn(HTMLElement.prototype, "clientWidth", "get").mockReturnValue(1200);
    try {
      // One of the four mappings names another device; the others name none.
      const [, second] = CONFIG.rows["mode:Default"]!;
      const named = CONFIG.rows["mode:Default"]!.with(1, { ...second!, device: "pads" });
      const view = { ...CONFIG, rows: { ...CONFIG.rows, "mode:Default": named } };
      const { state } = await open({ "config.get": () => view });
      state.ui.navigate("devices");
      const list = within(await screen.findByRole("listbox", { name: "Devices" }));
      await fireEvent.click(list.getByText("Virtual controller"));
      await fireEvent.click(screen.getByRole("button", { name: "3 mappings of this device" }));
      const tree = within(await screen.findByRole("navigation", { name: "Devices" }));
      const node = tree.getByRole("button", { name: /^Virtual controller/, pressed: true });
      expect(node.textContent).toMatch(/3$/);
      expect(screen.queryByText("Stream scene")).toBeNull();
      expect(screen.getByText("Mute microphone")).toBeTruthy();
    } finally {
      width.mockRestore();
    }
  });
});
