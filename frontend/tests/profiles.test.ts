import { cleanup, fireEvent, render, screen, within } from "@testing-library/svelte";
import userEvent from "@testing-library/user-event";
import { describe, expect, it, vi } from "vitest";
import { findBank, banksOf, profilePicture } from "$features/controller/profile";
import { triggerOfPart } from "$features/controller/trigger";
import {
  aliasFor,
  findAnswer,
  describeReliability,
  isPlayable,
  describeMessages,
  aliasChange,
  groupTitle,
} from "$features/devices/profile-text";
import { strings } from "$features/devices/strings";
import { Client } from "$lib/client/client";
import type { DeviceProfile, EventView, Group } from "$lib/client/types";
import { createState } from "$lib/state/state";
import { Refusal } from "$lib/transport/fake";
import { notes } from "$ui";
import App from "../src/App.svelte";
import "./load-views";
import { CONFIG, fakeConductor, STATUS, trace } from "./sample";

const group = (over: Partial<Group>): Group => ({
  grade: "two_sources",
  sources: ["a", "b"],
  id: "pads",
  role: "pad",
  name: "Pad {n}",
  message: "note",
  numbers: [40, 41, 42, 43, 36, 37, 38, 39],
  channel: 10,
  channels: [],
  columns: 4,
  bank: "Bank A",
  rows_from_bottom: true,
  encoding: null,
  release: null,
  place: { x: 46, y: 6, w: 56, h: 28 },
  note: null,
  ...over,
});
const PADS = group({});
const PADS_B = group({
  id: "pads-b",
  numbers: [48, 49, 50, 51, 44, 45, 46, 47],
  bank: "Bank B",
  place: null,
});
const DIALS = group({
  id: "dials",
  role: "knob",
  name: "Dial {n}",
  message: "cc",
  numbers: [3, 9],
  channel: 1,
  columns: 2,
  bank: null,
  rows_from_bottom: false,
  encoding: "offset_64",
  grade: "one_source",
  place: { x: 6, y: 6, w: 32, h: 18 },
});
const PROFILE: DeviceProfile = {
  id: "acme-grid",
  maker: "Acme",
  model: "Grid 8",
  also: [],
  kind: "pads",
  summary: "8 pads in two banks, 2 dials.",
  revision: "2026-11-21",
  width: 108,
  height: 40,
  sources: [
    { id: "a", title: "The maker's manual", url: null, kind: "maker", licence: null },
    { id: "b", title: "A script", url: null, kind: "software", licence: null },
  ],
  matchers: [{ type: "NameContains", pattern: "Grid 8", occurrence: null }],
  usb: [],
  variants: [
    {
      id: "one",
      name: "Program 1",
      when: "Program 1 is chosen.",
      port: null,
      firmware: null,
      setup: [],
      restore: [],
      groups: [PADS, PADS_B, DIALS],
    },
    {
      id: "two",
      name: "Program 2",
      when: "Program 2 is chosen.",
      port: null,
      firmware: null,
      setup: [],
      restore: [],
      groups: [group({ channel: 2, bank: null })],
    },
  ],
  lights: [],
  remarks: [],
  questions: [
    {
      about: "the channel of the pads",
      ask: "Press pad 1",
      sources: ["a", "b"],
      answers: [
        { found: "channel 10", means: "program 1 is chosen", variant: "one" },
        { found: "channel 2", means: "program 2 is chosen", variant: "two" },
      ],
    },
  ],
};
const ONE = PROFILE.variants[0]!;
const event = (over: Partial<EventView>): EventView => ({
  kind: "note_on",
  device: "raw:Grid 8",
  channel: 10,
  number: 36,
  value: 100,
  time: 0,
  data: null,
  control: null,
  printed: null,
  ...over,
});

describe("a profile's picture", () => {
  it("has every control of the first bank in its place, named as the device counts", () => {
    const picture = profilePicture("grid", PROFILE, ONE, "Bank A")!;
    expect(picture.parts).toHaveLength(10);
    const lowest = picture.parts.find((part) => part.name === "Pad 1")!;
    expect(lowest.controls).toEqual([{ control_class: "note", number: 36, channel: 10 }]);
    expect(lowest.y).toBeGreaterThan(picture.parts.find((part) => part.name === "Pad 5")!.y);
    for (const part of picture.parts)
      expect(part.x + part.w <= picture.w && part.y + part.h <= picture.h).toBe(true);
    expect(picture.parts.find((part) => part.name === "Dial 2")?.kind).toBe("knob");
  });

  it("shows another bank where the first one is", () => {
    expect(banksOf(ONE)).toEqual(["Bank A", "Bank B"]);
    const second = profilePicture("grid", PROFILE, ONE, "Bank B")!;
    expect(second.parts.find((part) => part.name === "Pad 1")?.controls[0]?.number).toBe(44);
    expect(second.parts.find((part) => part.name === "Dial 1")?.controls[0]?.number).toBe(3);
  });

  it("knows the bank of what is played", () => {
    expect(findBank(ONE, { control_class: "note", number: 44, channel: 10 }, "Bank A")).toBe(
      "Bank B",
    );
    expect(findBank(ONE, { control_class: "note", number: 36, channel: 10 }, "Bank A")).toBeNull();
  });

  it("shows below what was played and is not in the profile, and no pressure", () => {
    const seen = [
      { control_class: "cc" as const, number: 77, channel: 1 },
      { control_class: "channel_pressure" as const, number: 0, channel: 10 },
      { control_class: "note" as const, number: 44, channel: 10 },
    ];
    const picture = profilePicture("grid", PROFILE, ONE, "Bank A", seen)!;
    expect(picture.parts).toHaveLength(11);
    const extra = picture.parts.find((part) => part.name === "CC 77")!;
    expect(extra.y).toBeGreaterThan(
      Math.max(
        ...picture.parts.filter((part) => part !== extra).map((part) => part.y + part.h - 1),
      ),
    );
  });

  it("is none when nothing of the profile has a place", () => {
    expect(profilePicture("grid", PROFILE, { ...ONE, groups: [PADS_B] }, null)).toBeNull();
  });

  it("makes a trigger for a pad that sends a controller as for a switch", () => {
    const variant = { ...ONE, groups: [group({ message: "cc", numbers: [20], columns: 1 })] };
    const part = profilePicture("grid", PROFILE, variant, null)!.parts[0]!;
    expect(triggerOfPart(part, "grid")).toMatchObject({ type: "CC", cc: 20, device: "grid" });
  });
});

describe("what a profile says", () => {
  it("is said in words", () => {
    expect(describeMessages(PADS)).toBe("notes 36–43, channel 10");
    expect(describeMessages(DIALS)).toBe("CC 3, 9, channel 1, turns as offset_64");
    expect(groupTitle(PADS)).toBe("Pad 1–8, Bank A");
    expect(strings.thisIs("Akai", "Grid 8")).toBe("This is an Akai Grid 8");
    expect(describeReliability(ONE)).toEqual({ text: "Partly from one source", strong: false });
  });

  it("is asked of an event where sources disagree", () => {
    const { answers } = PROFILE.questions[0]!;
    expect(isPlayable(answers)).toBe(true);
    expect(findAnswer(answers, event({ channel: 2 }))?.variant).toBe("two");
    expect(findAnswer(answers, event({ channel: 3 }))).toBeNull();
    const numbers = [
      { found: "CC 70", means: "", variant: null },
      { found: "CC 1", means: "", variant: null },
      { found: "another number", means: "", variant: null },
    ];
    expect(findAnswer(numbers, event({ kind: "cc", number: 1 }))?.found).toBe("CC 1");
    expect(findAnswer(numbers, event({ kind: "cc", number: 9 }))?.found).toBe("another number");
    expect(isPlayable([{ found: "darker", means: "", variant: null }])).toBe(false);
  });

  it("becomes a device with its matchers and a short name of its own", () => {
    expect(aliasFor(PROFILE, ["grid-8"])).toBe("grid-8-2");
    expect(aliasFor({ ...PROFILE, maker: "PadBox", model: "16" }, [])).toBe("padbox-16");
    expect(aliasChange(PROFILE, "grid-8", null)).toMatchObject({
      change_type: "CreateDevice",
      device: { alias: "grid-8", matchers: [{ type: "NameContains", pattern: "Grid 8" }] },
    });
    expect(aliasChange(PROFILE, "grid-8", 2)).toMatchObject({
      device: { matchers: [{ occurrence: 2 }] },
    });
  });
});

async function open(view: string, handlers: Parameters<typeof fakeConductor>[0] = {}) {
  const device = {
    device_id: "raw:Grid 8",
    port_name: "Grid 8",
    kind: "midi_input" as const,
    connected: true,
    enabled: true,
    is_configured: false,
    problem: null,
  };
  const transport = fakeConductor({
    "devices.list": () => ({ devices: [device], aliases: [], outputs: [] }),
    "devices.profile": () => ({ profile: PROFILE, variant: "one", own: false }),
    "virtual.layout": () => ({ device: "virtual", controls: [] }),
    ...handlers,
  });
  const state = createState(new Client(transport));
  state.ui.view = view;
  state.client.start();
  transport.push(["status", STATUS]);
  render(App, { props: { state } });
  await vi.waitFor(() => expect(state.config.view).not.toBeNull());
  return { transport, state };
}

describe("in the window", () => {
  it("the device says what it is, and its question is answered by playing", async () => {
    const { transport, state } = await open("devices");
    const card = await screen.findByRole("region", { name: "About this device" });
    expect(card.textContent).toContain("This is an Acme Grid 8");
    const sends = within(card).getByText("What it sends").closest("details")!;
    sends.open = true;
    await within(card).findByText("notes 36–43, channel 10");
    await fireEvent.click(within(card).getByRole("button", { name: "Find out: Press pad 1" }));
    transport.push(["trace", trace(1, { event: event({ channel: 2 }) })]);
    await within(card).findByText(/program 2 is chosen/);
    expect(state.profiles.activeVariant("raw:Grid 8")?.variant.id).toBe("two");
  });

  it("the profile is used as a template for a name", async () => {
    const commit = vi.fn((_: unknown) => ({ hash: "b".repeat(64) }));
    await open("devices", { "config.commit": commit });
    await fireEvent.click(await screen.findByRole("button", { name: "Name from profile" }));
    await vi.waitFor(() => expect(commit).toHaveBeenCalled());
    expect(commit.mock.calls[0]).toMatchObject([
      { changes: [{ change_type: "CreateDevice", device: { alias: "grid-8" } }] },
    ]);
  });

  it("the controller is drawn from the profile and follows the bank that is played", async () => {
    const { transport } = await open("controller");
    const picture = await screen.findByRole("group", { name: "Picture of Acme Grid 8" });
    expect(within(picture).getAllByRole("button", { name: /^Pad / })).toHaveLength(8);
    transport.push(["trace", trace(1, { event: event({ number: 44 }) })]);
    await screen.findByRole("radio", { name: "Bank B", checked: true });
  });
});

describe("an imported profile", () => {
  it("closes its dialog once it is saved, and is not said to be played here", async () => {
    let own = false;
    await open("devices", {
      "devices.profile": () => ({ profile: own ? PROFILE : null, variant: "one", own }),
      "knowledge.add_profile": () => {
        own = true;
        return { profile_id: "x", source_id: "device/x", title: "Acme Grid 8", chunks: 2 };
      },
    });
    await fireEvent.click(await screen.findByRole("button", { name: "Import a profile" }));
    const dialog = await screen.findByRole("dialog", { name: "Import a profile" });
    const field = within(dialog).getByLabelText<HTMLInputElement>("Device profile");
    await fireEvent.change(field, { target: { files: [new File(["id = 1"], "x.toml")] } });
    await vi.waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
    expect(screen.getByText("Added Acme Grid 8: 2 sections")).toBeTruthy();
  });

  it("is told apart from one that was played", async () => {
    await open("devices", {
      "devices.profile": () => ({ profile: PROFILE, variant: "one", own: true }),
    });
    const card = await screen.findByRole("region", { name: "About this device" });
    expect(within(card).getByText("Imported")).toBeTruthy();
    expect(within(card).queryByText("Played here")).toBeNull();
  });
});

describe("a profile made by playing", () => {
  it("is asked for step by step while mappings rest, and is kept", async () => {
    const end = vi.fn((_: unknown) => ({}));
    const keep = vi.fn((_: unknown) => ({
      id: "acme",
      title: "Acme Grid",
      kind: "pads",
      summary: "",
      own: true,
    }));
    let at = 0;
    const { transport } = await open("devices", {
      "devices.profile": () => ({ profile: null, variant: "", own: false }),
      "devices.play_start": () => ({ at: ++at }),
      "devices.play_mark": () => ({ at: ++at }),
      "devices.play_made": () => ({
        events: 16,
        device_id: "raw:Grid 8",
        profile: PROFILE,
        toml: "id = 1",
      }),
      "devices.keep_profile": keep,
      "knowledge.update_index": () => ({}),
      "devices.play_end": end,
    });
    await fireEvent.click(await screen.findByRole("button", { name: "Make a profile by playing" }));
    const dialog = await screen.findByRole("dialog", { name: "Make a profile by playing" });
    await within(dialog).findByText(/Press every pad once/);
    transport.push(["status", { ...STATUS, paused: true }]);
    for (const asked of [
      /Turn every knob/,
      /Move every fader/,
      /Press every button/,
      /Does the picture match your device/,
    ]) {
      await fireEvent.click(within(dialog).getByRole("button", { name: "Next" }));
      await within(dialog).findByText(asked);
    }
    await fireEvent.click(within(dialog).getByRole("button", { name: "Save profile" }));
    await vi.waitFor(() => expect(end).toHaveBeenCalledOnce());
    expect(keep).toHaveBeenCalledWith({ text: "id = 1" });
    expect(transport.calls.filter((call) => call.method === "devices.play_start")).toHaveLength(1);
    const made = transport.calls.filter((call) => call.method === "devices.play_made").at(-1)
      ?.params as { steps: { role: string | null }[] };
    expect(made.steps.map((step) => step.role)).toEqual(["pad", "knob", "fader", "button", null]);
  });

  it("a knob whose direction is uncertain is to be turned to the right", async () => {
    let at = 0;
    const { transport } = await open("devices", {
      "devices.profile": () => ({ profile: null, variant: "", own: false }),
      "devices.play_start": () => ({ at: ++at }),
      "devices.play_mark": () => ({ at: ++at }),
      "devices.play_made": () => ({
        events: 16,
        device_id: "raw:Grid 8",
        profile: PROFILE,
        toml: "id = 1",
        uncertain_turns: ["Encoder 1", "Jog"],
      }),
      "devices.play_end": () => ({}),
    });
    await fireEvent.click(await screen.findByRole("button", { name: "Make a profile by playing" }));
    const dialog = await screen.findByRole("dialog", { name: "Make a profile by playing" });
    await within(dialog).findByText(/Press every pad once/);
    for (const asked of [
      /Turn every knob/,
      /Move every fader/,
      /Press every button/,
      /Turn Encoder 1 to the right only/,
      /Turn Jog to the right only/,
      /Does the picture match your device/,
    ]) {
      await fireEvent.click(within(dialog).getByRole("button", { name: "Next" }));
      await within(dialog).findByText(asked);
    }
    const made = transport.calls.filter((call) => call.method === "devices.play_made").at(-1)
      ?.params as { steps: { turn_right?: boolean }[] };
    expect(made.steps.map((step) => step.turn_right ?? false)).toEqual([
      false,
      false,
      false,
      false,
      true,
      true,
      false,
    ]);
  });
});

describe("a new app profile", () => {
  async function openForm(handlers: Parameters<typeof fakeConductor>[0] = {}) {
    const { transport, state } = await open("profiles", handlers);
    await fireEvent.click(await screen.findByRole("button", { name: "New profile" }));
    const dialog = within(await screen.findByRole("dialog", { name: "New profile" }));
    const save = dialog.getByRole("button", { name: "Create profile" });
    return { transport, state, dialog, save };
  }

  it("is explained without apps that can be detected, with what to enter as the app", async () => {
    const empty = { ...CONFIG, config: { ...CONFIG.config, profiles: [] } };
    const none = { executable: "", bundle_id: "", title: "" };
    const front = (reason: string | null) => ({
      "config.get": () => empty,
      "apps.front": () => ({ ...none, reason, seen: [] }),
    });
    await open("profiles", front("the desktop does not say"));
    const text = await screen.findByText(/waits until Conductor can detect apps/);
    const create = within(text.closest<HTMLElement>(".empty")!);
    await fireEvent.click(create.getByRole("button", { name: "New profile" }));
    expect(
      await screen.findByText(/the name of its program, such as obs or resolve.exe/),
    ).toBeTruthy();
    cleanup();
    await open("profiles", front(null));
    await screen.findByText(/Switch to an app, then create its profile here/);
  });

  it("can switch the mode, and asks for each field once with Tab", async () => {
    const { transport, dialog, save } = await openForm();
    const user = userEvent.setup();
    await user.click(dialog.getByRole("combobox", { name: "App" }));
    await user.keyboard("gimp{Escape}");
    await user.tab();
    expect(document.activeElement).toBe(dialog.getByLabelText("Window title"));
    await user.click(dialog.getByLabelText(/^Mode: /));
    await user.click(await screen.findByRole("option", { name: "Stream" }));
    await user.click(save);
    await vi.waitFor(() =>
      expect(transport.called("config.commit")).toMatchObject([
        { changes: [{ profile: { name: "gimp", mode: "Stream" } }] },
      ]),
    );
  });

  it("goes on with its first mapping", async () => {
    const made = { name: "gimp", match: { executable: "gimp" }, enabled: true, mappings: [] };
    let profiles: unknown[] = [{ ...made, name: "other" }];
    const { dialog, save } = await openForm({
      "config.get": () => ({ ...CONFIG, config: { ...CONFIG.config, profiles } }),
      "config.commit": () => {
        profiles = [...profiles, made];
        return { hash: "new" };
      },
    });
    await fireEvent.input(dialog.getByRole("combobox", { name: "App" }), {
      target: { value: "gimp" },
    });
    await fireEvent.click(save);
    const add = await screen.findByRole("button", { name: "Add mapping" });
    await vi.waitFor(() => expect(document.activeElement).toBe(add));
  });

  it("is saved only once its app is entered and the user saves it", async () => {
    const { transport, dialog, save } = await openForm();
    expect(save).toHaveProperty("disabled", true);
    await fireEvent.input(dialog.getByRole("combobox", { name: "App" }), {
      target: { value: "gimp" },
    });
    expect(dialog.getByLabelText<HTMLInputElement>("Name").value).toBe("gimp");
    expect(transport.called("config.commit")).toEqual([]);
    await fireEvent.click(save);
    await vi.waitFor(() =>
      expect(transport.called("config.commit")).toMatchObject([
        {
          changes: [
            {
              change_type: "CreateProfile",
              profile: { name: "gimp", match: { executable: "gimp" }, enabled: true },
            },
          ],
        },
      ]),
    );
    await vi.waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
  });

  it.each([
    ["Enter", "Window title", {}],
    ["Enter", "Name", {}],
    ["Ctrl+Enter", "App", { ctrlKey: true }],
  ])("is saved by %s in the field %s", async (_, field, keys) => {
    const { transport, dialog } = await openForm();
    const name = dialog.getByLabelText("Name");
    await fireEvent.keyDown(name, { key: "Enter" });
    expect(transport.called("config.commit")).toEqual([]);
    await fireEvent.input(dialog.getByRole("combobox", { name: "App" }), {
      target: { value: "gimp" },
    });
    await fireEvent.keyDown(dialog.getByLabelText(field), { key: "Enter", ...keys });
    await vi.waitFor(() => expect(transport.called("config.commit")).toHaveLength(1));
  });

  it("offers the installed apps by name, and is named after the app", async () => {
    const obs = { name: "OBS Studio", launch: "OBS Studio", program: "obs" };
    const { transport, dialog, save } = await openForm({
      "apps.installed": () => ({ apps: [obs] }),
    });
    await vi.waitFor(() => expect(transport.called("apps.installed").length).toBeGreaterThan(0));
    const app = dialog.getByRole("combobox", { name: "App" });
    await fireEvent.click(app);
    await fireEvent.input(app, { target: { value: "studio" } });
    await userEvent.click(await screen.findByRole("option", { name: /OBS Studio/ }));
    expect(dialog.getByLabelText<HTMLInputElement>("Name").value).toBe("OBS Studio");
    await fireEvent.click(save);
    await vi.waitFor(() =>
      expect(transport.called("config.commit")).toMatchObject([
        { changes: [{ profile: { name: "OBS Studio", match: { executable: "obs" } } }] },
      ]),
    );
  });

  it("finds an app of macOS by its bundle id", async () => {
    const { transport, dialog, save } = await openForm();
    notes.platform = "darwin";
    await fireEvent.input(dialog.getByRole("combobox", { name: "App" }), {
      target: { value: "com.apple.Safari" },
    });
    notes.platform = "";
    await fireEvent.click(save);
    const match = { bundle_id: "com.apple.Safari", executable: null, title_regex: null };
    await vi.waitFor(() =>
      expect(transport.called("config.commit")).toMatchObject([
        { changes: [{ profile: { match } }] },
      ]),
    );
  });

  it("shows at its field what is wrong", async () => {
    const { dialog, save } = await openForm({
      "config.commit": () => {
        throw new Refusal({
          code: "params_invalid",
          message: "no",
          data: {
            fields: [{ path: "changes.0.profile.match.title_regex", message: "not a pattern" }],
          },
        });
      },
    });
    await fireEvent.input(dialog.getByLabelText("Window title"), { target: { value: "(" } });
    await fireEvent.click(save);
    expect(await dialog.findByText("not a pattern")).toBeTruthy();
  });
});
