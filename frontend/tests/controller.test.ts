import { flushSync } from "svelte";
import { fireEvent, render, screen, within } from "@testing-library/svelte";
import { describe, expect, it, vi } from "vitest";
import { controlForKey, KEYCAPS } from "$features/controller/keys";
import {
  matchesSearch,
  buildLabels,
  rowsInMode,
  accessibleName,
} from "$features/controller/labels";
import { LiveControls, updateControlState } from "$features/controller/live.svelte";
import { gamepadPicture } from "$features/controller/gamepad";
import {
  gridPicture,
  findNeighbour,
  findControls,
  virtualPicture,
} from "$features/controller/picture";
import { Player, pressVelocity } from "$features/controller/player.svelte";
import { escapeXml, sheetSvg } from "$features/controller/sheet";
import { breakLines, countLines, estimateWidth, fitSize } from "$lib/text";
import { triggerOfPart } from "$features/controller/trigger";
import { faderValue, keyValue, knobValue } from "$features/controller/value";
import { suggestionsFor, gestureOf } from "$features/learn/gestures";
import { initialAction } from "$forms";
import { Client } from "$lib/client/client";
import type { EventView, LearnSuggestion, VirtualLayout } from "$lib/client/types";
import { controlClass } from "$lib/state/monitor.svelte";
import { createState } from "$lib/state/state";
import App from "../src/App.svelte";
import PartLabel from "$features/controller/PartLabel.svelte";
import OutcomeSign from "$features/controller/OutcomeSign.svelte";
import "./load-views";
import { CONFIG, HELLO, STATUS, fakeConductor, trace } from "./sample";

const FAILURE = {
  ...{ mapping: "mute", scope: "mode:Default", index: 0, time: 1, reason: "no keyboard" },
  action: { type: "Keystroke" },
};
type Control = VirtualLayout["controls"][number];
const pad = (index: number): Control => ({
  name: `pad${index + 1}`,
  label: `Pad ${index + 1}`,
  kind: "pad",
  control_class: "note",
  number: 36 + index,
  channel: 10,
  row: 3 - Math.floor(index / 4),
  col: index % 4,
});
const LAYOUT: VirtualLayout = {
  device: "virtual",
  controls: [
    ...Array.from({ length: 16 }, (_, index) => pad(index)),
    {
      name: "knob1",
      label: "Knob 1",
      kind: "knob",
      control_class: "cc",
      number: 20,
      channel: 1,
      row: 0,
      col: 0,
    },
    {
      name: "fader1",
      label: "Fader 1",
      kind: "fader",
      control_class: "cc",
      number: 40,
      channel: 1,
      row: 0,
      col: 0,
    },
    {
      name: "play",
      label: "Play",
      kind: "button",
      control_class: "cc",
      number: 102,
      channel: 1,
      row: 0,
      col: 0,
    },
  ],
};
const PICTURE = virtualPicture(LAYOUT, KEYCAPS);

it("draws the virtual controller narrow, with the other controls below the pads", () => {
  const { parts, w, h } = virtualPicture(LAYOUT, KEYCAPS, true);
  expect(h).toBeGreaterThan(w);
  const overlapping = parts.filter((one, index) =>
    parts.some(
      (other, at) =>
        at > index &&
        one.x < other.x + other.w &&
        other.x < one.x + one.w &&
        one.y < other.y + other.h &&
        other.y < one.y + one.h,
    ),
  );
  expect(overlapping).toEqual([]);
  for (const one of parts) {
    expect(one.x + one.w).toBeLessThanOrEqual(w);
    expect(one.y + one.h).toBeLessThanOrEqual(h);
  }
});
const part = (id: string) => PICTURE.parts.find((one) => one.id === id)!;
const event = (over: Partial<EventView>): EventView => ({
  kind: "note_on",
  device: "virtual",
  channel: 10,
  number: 36,
  value: 100,
  time: 0,
  data: null,
  control: null,
  printed: null,
  ...over,
});

async function open(view = "", handlers: Parameters<typeof fakeConductor>[0] = {}) {
  const transport = fakeConductor({ "virtual.layout": () => LAYOUT, ...handlers });
  const state = createState(new Client(transport));
  state.ui.view = view;
  state.ui.prefs = { "controller.device": "virtual" };
  state.client.start();
  transport.push(["status", STATUS]);
  render(App, { props: { state } });
  await vi.waitFor(() => expect(state.config.view).not.toBeNull());
  return { state, transport };
}

describe("the tabs of the modes", () => {
  it("count the mappings of their mode, as Mappings does, and the panel names all modes", async () => {
    const mapping = { ...CONFIG.config.modes[0]!.mappings![0]!, description: null };
    const words = CONFIG.rows["mode:Default"]![0]!;
    await open("controller", {
      "config.get": () => ({
        ...CONFIG,
        config: { ...CONFIG.config, global_mappings: [mapping] },
        rows: { ...CONFIG.rows, global: [words] },
      }),
    });
    const tab = await screen.findByRole("tab", { name: /^Live/ });
    expect(tab.textContent).toMatch(/0$/);
    expect(tab.title).toMatch(/^0 mappings of Live, on all devices, without those of all modes/);
    await fireEvent.click(tab);
    await fireEvent.keyDown(await screen.findByRole("button", { name: /^Pad 1:/ }), {
      key: "Enter",
    });
    const panel = screen.getByRole("region", { name: "Mappings of Pad 1" });
    expect(panel.querySelector(".trigger")!.textContent).toBe("Note C2 (36)");
    expect(within(panel).getByText(/in all modes/)).toBeTruthy();
  });

  it("follow the mode while the picture is played, and stay while it is edited", async () => {
    const { state, transport } = await open("controller");
    const selected = () => screen.getByRole("tab", { selected: true }).textContent;
    const enter = (mode: string) => transport.push(["status", { ...STATUS, mode }]);
    await fireEvent.click(await screen.findByRole("tab", { name: /^Live/ }));
    expect(selected()).toContain("Live");
    enter("Stream");
    await vi.waitFor(() => expect(selected()).toContain("Stream · active"));
    state.ui.setPref("controller.plays", false);
    await fireEvent.click(screen.getByRole("tab", { name: /^Live/ }));
    enter("Default");
    await vi.waitFor(() => expect(state.modes.current).toBe("Default"));
    flushSync();
    expect(selected()).toContain("Live");
  });

  it("show what the controls do while an app is in front", async () => {
    const [mode] = CONFIG.config.modes;
    const [profile] = CONFIG.config.profiles;
    const mapping = { ...mode!.mappings![0]!, description: "Start the stream" };
    await open("controller", {
      "config.get": () => ({
        ...CONFIG,
        config: { ...CONFIG.config, profiles: [{ ...profile!, mappings: [mapping] }] },
        rows: { ...CONFIG.rows, "profile:OBS": [CONFIG.rows["mode:Default"]![0]!] },
      }),
    });
    await fireEvent.click(await screen.findByRole("tab", { name: /^Profile OBS/ }));
    expect(await screen.findByRole("button", { name: /Start the stream/ })).toBeTruthy();
    expect(screen.queryByRole("button", { name: /^Switch to/ })).toBeNull();
    await fireEvent.click(screen.getByRole("button", { name: "Cheat sheet" }));
    expect(await screen.findByAltText(/Profile OBS/)).toBeTruthy();
  });
});

describe("the sign of a failure", () => {
  it("is shown once at a control whose mapping has failed", async () => {
    const controlState = {
      value: 1,
      raw: 127,
      down: false,
      outcome: "failed" as const,
      pulse: 1,
      sequence: 1,
    };
    for (const hasFailed of [true, false]) {
      const { container, unmount } = render(OutcomeSign, { controlState, x: 0, y: 0, hasFailed });
      expect(container.querySelectorAll(".sign")).toHaveLength(hasFailed ? 0 : 1);
      unmount();
    }
  });
});

describe("the panel of a control whose mapping has failed", () => {
  it("says so after a change of the config, as its mapping does", async () => {
    const { transport } = await open("controller");
    await fireEvent.keyDown(await screen.findByRole("button", { name: /^Pad 1:/ }), {
      key: "Enter",
    });
    const panel = await screen.findByRole("region", { name: "Mappings of Pad 1" });
    const pad = event({ number: 36 });
    transport.push(["trace", trace(1, { event: pad, outcome: "fired" })]);
    transport.push(["failure", { ...FAILURE, sequence: 1 }]);
    await within(panel).findByText("Failed");
    transport.push(["config", { ...STATUS }]);
    await vi.waitFor(() => expect(transport.called("config.get")).toHaveLength(2));
    flushSync();
    expect(within(panel).getByText(/no keyboard/i)).toBeTruthy();
    expect(within(panel).getByText("Failed")).toBeTruthy();
    const badge = document.querySelector('[data-part="pad1"] > .failed');
    expect(badge?.nextElementSibling, "the ring of the selection is drawn over it").toBeNull();
  });
});

describe("a press that waits for a second tap", () => {
  it.each(["fired", "unmatched"] as const)("shows its later result: %s", async (outcome) => {
    const transport = fakeConductor();
    const client = new Client(transport);
    const live = new LiveControls(client, createState(client).monitor);
    client.start();
    const stop = live.start();
    const press = trace(1, { outcome: "waiting" });
    const event = { ...press.event, kind: "timer" as const, number: 0 };
    transport.push(["trace", press], ["trace", trace(2, { event, gesture: 1, outcome })]);
    const { device, number, channel } = press.event;
    const shown = () => live.stateOf(device, { control_class: "note", number, channel });
    await vi.waitFor(() => expect(shown()).toMatchObject({ outcome, pulse: 2, sequence: 2 }));
    transport.push(["failure", { ...FAILURE, sequence: 2 }]);
    await vi.waitFor(() => expect(shown()?.outcome).toBe("failed"));
    stop();
  });
});

describe("the outcome of a touch", () => {
  it.each([
    ["a switch of the mode", ["status", { ...STATUS, mode: "Live" }]],
    ["a resume", ["status", { ...STATUS, paused: true }]],
    ["an edit", ["config", { ...STATUS }]],
  ] as const)("is forgotten at %s, and the value is not", async (_, topic) => {
    const transport = fakeConductor();
    const client = new Client(transport);
    const live = new LiveControls(client, createState(client).monitor);
    client.start();
    const stop = live.start();
    transport.push(["status", STATUS]);
    const { device, number, channel } = trace(1).event;
    const shown = () => live.stateOf(device, { control_class: "note", number, channel });
    transport.push(["trace", trace(1, { outcome: "unmatched" })]);
    await vi.waitFor(() => expect(shown()?.outcome).toBe("unmatched"));
    transport.push(["status", STATUS]);
    transport.push(topic as never);
    await vi.waitFor(() => expect(shown()?.outcome).toBeNull());
    expect(shown()?.raw).toBe(trace(1).event.value);
    stop();
  });
});

describe("the state of the controls when a picture opens", () => {
  it("shows what is held down and where knobs are, without flashes", async () => {
    const press = (
      kind: EventView["kind"],
      number: number,
      value: number,
      sequence: number,
      device = trace(1).event.device,
    ) => {
      const one = trace(sequence);
      return { ...one, event: { ...one.event, kind, number, value, device } };
    };
    const traces = [
      press("note_on", 40, 90, 1),
      press("note_on", 41, 90, 2),
      press("note_off", 41, 0, 3),
      press("cc", 7, 127, 4),
      press("note_on", 42, 90, 5, "left"),
      press("device_gone", 0, 0, 6, "left"),
      press("note_on", 43, 90, 7),
    ];
    const failures = [{ ...FAILURE, sequence: 7 }];
    const client = new Client(
      fakeConductor({ "monitor.recent": () => ({ traces, failures, epoch: 0 }) }),
    );
    const live = new LiveControls(client, createState(client).monitor);
    client.start();
    const stop = live.start();
    const { device, channel } = traces[0]!.event;
    const of = (control_class: "note" | "cc", number: number) =>
      live.stateOf(device, { control_class, number, channel: channel || null });
    await vi.waitFor(() => expect(of("cc", 7)?.value).toBe(1));
    expect(of("cc", 7)?.down).toBe(false);
    expect(of("note", 40)).toMatchObject({ down: true, pulse: 0, outcome: "fired" });
    expect(of("note", 41)?.down).toBe(false);
    expect(of("note", 43)).toMatchObject({ pulse: 0, outcome: "failed" });
    const unplugged = live.stateOf("left", {
      control_class: "note",
      number: 42,
      channel: channel || null,
    });
    expect(unplugged?.down).toBe(false);
    stop();
  });
});

describe("a picture", () => {
  it("puts pad 1 at the lower left, and the arrow keys move as the eye does", () => {
    expect(part("pad1").y).toBeGreaterThan(part("pad13").y);
    expect(findNeighbour(PICTURE.parts, part("pad1"), "ArrowUp")?.id).toBe("pad5");
    expect(findNeighbour(PICTURE.parts, part("pad1"), "ArrowRight")?.id).toBe("pad2");
    expect(findNeighbour(PICTURE.parts, part("pad1"), "ArrowLeft")).toBeUndefined();
  });

  it("has no part over another", () => {
    for (const picture of [PICTURE, gamepadPicture("pad", "Pad", ["paddle1", "misc1"])])
      for (const a of picture.parts)
        for (const b of picture.parts)
          if (a !== b)
            expect(
              a.x + a.w <= b.x || b.x + b.w <= a.x || a.y + a.h <= b.y || b.y + b.h <= a.y,
              `${a.id} ${b.id}`,
            ).toBe(true);
  });

  it("of an unknown device is made of what was played and what is mapped", () => {
    const events = [
      event({ device: "mpk" }),
      event({ device: "mpk", kind: "cc", number: 7, value: 3 }),
      event({ device: "mpk", kind: "cc", number: 64, value: 0 }),
      event({ device: "mpk", kind: "cc", number: 64, value: 127 }),
      event({ device: "other", number: 1 }),
    ];
    const refs = [
      { device: "mpk", channel: null, control_class: "note" as const, number: 36 },
      { device: "mpk", channel: null, control_class: "pitch_bend" as const, number: 0 },
      { device: null, channel: null, control_class: "note" as const, number: "*" },
    ];
    const picture = gridPicture("mpk", "MPK", findControls("mpk", refs, events, controlClass));
    expect(picture.parts.map((one) => [one.kind, one.name])).toEqual([
      ["pad", "Note 36"],
      ["knob", "CC 7"],
      ["fader", "Pitch bend"],
      ["button", "CC 64"],
    ]);
  });

  it("names no mapping that loses to another one, but all that act", () => {
    const rows = createStateRows();
    const twin = { ...rows[0]!, index: 9, mapping: { ...rows[0]!.mapping, description: "Twin" } };
    const more = (losers: string[]) =>
      buildLabels(PICTURE, [...rows, twin], new Map(losers.map((key) => [key, "why"]))).get("pad1")
        ?.more;
    expect(more([])).toEqual(["hold: Stream scene", "also: Twin"]);
    expect(more(["mode:Default#9"])).toEqual(["hold: Stream scene"]);
    // On the device of the picture, only a mapping before it with the same trigger takes its input.
    expect(more(["mode:Default#1"])).toEqual(["hold: Stream scene", "also: Twin"]);
  });

  it("says what each control does, the plain press first, and finds it by words", () => {
    const rows = rowsInMode(createStateRows(), "Default", null);
    const labels = buildLabels(PICTURE, rows);
    expect(labels.get("pad1")).toMatchObject({
      text: "Mute microphone",
      kind: "Keystroke",
      more: ["hold: Stream scene"],
      moreShort: ["+ hold"],
    });
    expect(labels.get("knob1")?.text).toBe("Set volume from the control");
    expect(accessibleName(part("pad2"), labels.get("pad2"))).toBe("Pad 2: not mapped");
    expect(matchesSearch(part("pad1"), labels.get("pad1"), "MUTE pad")).toBe(true);
    expect(matchesSearch(part("pad2"), labels.get("pad2"), "mute")).toBe(false);
  });

  it("starts a mapping with the trigger of the control", () => {
    expect(triggerOfPart(part("pad1"), "virtual")).toEqual({
      type: "Note",
      note: 36,
      device: "virtual",
      channel: 10,
    });
    expect(triggerOfPart(part("play"), "virtual")).toMatchObject({
      type: "CC",
      cc: 102,
      value_min: 64,
      edge: "rising",
    });
    expect(triggerOfPart(part("pad1"), "raw:Some port")).toEqual({
      type: "Note",
      note: 36,
      channel: 10,
    });
    const stick = gamepadPicture("pad", "Pad").parts.find((one) => one.id === "left_stick")!;
    expect(triggerOfPart(stick, "pad")).toEqual({
      type: "GamepadAnalogStick",
      axis: "left_x",
      device: "pad",
    });
  });

  it("says that Conductor is paused, not that nothing is mapped", () => {
    const note = "Conductor is paused";
    expect(updateControlState(trace(1, { outcome: "unmatched", note }), undefined).outcome).toBe(
      "paused",
    );
    expect(updateControlState(trace(1, { outcome: "unmatched" }), undefined).outcome).toBe(
      "unmatched",
    );
  });
  it("lights with the strength of the strike, and keeps velocity and outcome when it is let go", () => {
    const down = updateControlState(
      trace(1, { event: event({ value: 64 }), outcome: "fired" }),
      undefined,
    );
    expect(down).toMatchObject({ down: true, outcome: "fired", pulse: 1 });
    expect(down.value).toBeCloseTo(0.5, 1);
    expect(
      updateControlState(
        trace(2, { event: event({ kind: "note_off", value: 0 }), outcome: "unmatched" }),
        down,
      ),
    ).toMatchObject({ down: false, outcome: "fired", pulse: 1, raw: 64 });
  });
});

function createStateRows() {
  return CONFIG.config.modes.flatMap((mode) =>
    mode.mappings!.map((mapping, index) => ({
      scope: `mode:${mode.name}`,
      index,
      mapping,
      words: CONFIG.rows[`mode:${mode.name}`]![index]!,
    })),
  );
}

describe("playing", () => {
  it("strikes harder the higher it is touched", () => {
    expect(pressVelocity(0, 0, 100)).toBe(127);
    expect(pressVelocity(100, 0, 100)).toBe(20);
  });

  it("knobs and faders keep to 0 and 127, by pointer and keys", () => {
    const fader = part("fader1");
    expect(faderValue(fader, fader.y - 50)).toBe(127);
    expect(faderValue(fader, fader.y + fader.h)).toBe(0);
    expect(knobValue(64, 0, -500)).toBe(127);
    expect(keyValue(5, "ArrowDown", true)).toBe(0);
    expect(keyValue(5, "a", false)).toBeNull();
  });

  it("the lowest row of letters is the lowest row of pads, without Ctrl", () => {
    const press = (code: string, ctrlKey = false) =>
      controlForKey({ code, ctrlKey, metaKey: false, altKey: false });
    expect([press("KeyZ"), press("Digit4"), press("KeyZ", true), press("KeyG")]).toEqual([
      "pad1",
      "pad16",
      null,
      null,
    ]);
  });

  it("lets everything go once, in order, and merges turns that wait", async () => {
    const transport = fakeConductor({ "virtual.play": () => ({}) });
    const client = new Client(transport);
    client.start();
    const player = new Player(client, () => {});
    player.press("pad1", 200);
    player.press("pad1", 90);
    for (let value = 1; value < 60; value++) player.turn("knob1", value);
    player.releaseAll();
    player.releaseAll();
    await vi.waitFor(() =>
      expect(transport.called("virtual.play")).toEqual([
        { do: "press", control: "pad1", value: 127 },
        { do: "turn", control: "knob1", value: 59 },
        { do: "release", control: "pad1" },
      ]),
    );
  });
});

describe("the cheat sheet", () => {
  it("is well-formed whatever the names are", () => {
    const hostile = `<script>alert(1)</script>"'&\u0007\ud800`;
    const rows = createStateRows().map((row) => ({
      ...row,
      mapping: { ...row.mapping, description: hostile.slice(0, 20) },
    }));
    for (const picture of [PICTURE, gamepadPicture("pad", hostile)]) {
      const svg = sheetSvg({
        mode: hostile,
        color: `"/><script/>`,
        picture,
        labels: buildLabels(picture, rows),
      });
      const page = new DOMParser().parseFromString(svg, "image/svg+xml");
      expect(page.querySelector("script, parsererror")).toBeNull();
      expect(svg).not.toContain("<script");
    }
    for (const sign of `<>"'\u0007\ud800`) expect(escapeXml(hostile)).not.toContain(sign);
  });

  it("shows names, actions and other gestures in full, also of a knob with an own name", () => {
    const action = "Gesamtlautstärke der Moderation und der Gäste im Studio";
    const gesture = "hold: Start recording of the second camera";
    const empty = { rows: [], short: action, kind: null, moreShort: [] };
    for (const picture of [PICTURE, gamepadPicture("pad", "Gamepad")]) {
      const parts = picture.parts.map((one) => ({
        ...one,
        name: "Lautstärkeregler",
        printed: one.name,
      }));
      const svg = sheetSvg({
        mode: "Übergang in die Aufnahme am Abend mit allen Gästen und der Band",
        color: "#123456",
        picture: { ...picture, parts },
        labels: new Map(parts.map(({ id }) => [id, { ...empty, text: action, more: [gesture] }])),
      });
      const page = new DOMParser().parseFromString(svg, "image/svg+xml");
      const words = [...page.querySelectorAll("text")].map((one) => one.textContent).join(" ");
      expect(words).not.toContain("…");
      const plain = words.replace(/- /g, "").replace(/\s+/g, "");
      for (const { name, printed } of parts) {
        const whole = `${name} (${printed}) ${action} ${gesture}`.replace(/\s+/g, "");
        expect(plain).toContain(whole);
      }
    }
  });

  it("breaks words so that they fit, and shortens what does not", () => {
    const lines = breakLines(
      "Keystroke Ctrl+Shift+Alt+PageDown and more words than fit",
      100,
      13,
      3,
    );
    expect(lines).toHaveLength(3);
    for (const line of lines) expect(estimateWidth(line) * 13).toBeLessThanOrEqual(100);
    expect(lines.at(-1)).toMatch(/…$/);
    expect(breakLines("", 100, 13, 3)).toEqual([]);
  });

  it("counts the lines of a text whose long words are broken", () => {
    expect(["", "one", "one two", "one two three"].map((text) => countLines(text, 50, 13))).toEqual(
      [1, 1, 1, 2],
    );
    expect(countLines("x".repeat(20), 50, 13)).toBe(3);
    expect(countLines(`one ${"x".repeat(20)} two`, 50, 13)).toBe(5);
  });

  it("shrinks or shortens a word that is too wide, and never continues it on the next line", () => {
    expect(breakLines("Forward", 60, 18, 2)).toEqual(["Forw…"]);
    expect(breakLines("Mode Streaming", 60, 14, 2)).toEqual(["Mode", "Streami…"]);
    expect(breakLines("Ctrl+Shift", 50, 14, 2)).toEqual(["Ctrl+", "Shift"]);
    expect(breakLines("你好世界你好", 40, 13, 3)).toEqual(["你好", "世界", "你好"]);
    const size = fitSize("Forward", 67, 18);
    expect(size).toBeLessThan(18);
    expect(breakLines("Forward", 67, size, 2)).toEqual(["Forward"]);
    expect(fitSize("Forward", 20, 18)).toBeCloseTo(18 * 0.83);
    expect(fitSize("Play", 67, 18)).toBe(18);
  });
});

describe("learning", () => {
  const words = {
    trigger: "Note 36",
    numbers: "",
    printed: "",
    action: "",
    badges: [],
    device: null,
    controls: [],
  };
  const one = (trigger: object, confidence: number): LearnSuggestion => ({
    trigger: trigger as LearnSuggestion["trigger"],
    why: "played",
    confidence,
    words,
  });
  const FOUND = [
    one({ type: "LongPress", note: 36, duration_ms: 500 }, 0.9),
    one({ type: "Note", note: 36 }, 0.6),
    one({ type: "VelocityRange", note: 36 }, 0.5),
  ];

  it("chooses among the suggestions by gesture", () => {
    expect(suggestionsFor(FOUND, "any", 500)).toHaveLength(3);
    expect(suggestionsFor(FOUND, "hold", 500).map((found) => found.trigger.type)).toEqual([
      "LongPress",
    ]);
    expect(suggestionsFor(FOUND, "layers", 500).map((found) => found.trigger.type)).toEqual([
      "VelocityRange",
    ]);
    expect(suggestionsFor(FOUND, "turn", 500)).toEqual([]);
    expect(gestureOf({ type: "CC", cc: 1, value_min: 64 })).toBe("tap");
  });

  it("offers a hold of what was only tapped", () => {
    expect(suggestionsFor(FOUND.slice(1), "hold", 500)[0]?.trigger).toEqual({
      type: "LongPress",
      note: 36,
      duration_ms: 500,
    });
  });

  it("starts an action with what its kind needs", () => {
    expect(initialAction("Keystroke")).toMatchObject({ type: "Keystroke" });
    expect(initialAction("Nothing")).toBeNull();
    expect(initialAction("OscSend")).toMatchObject({ port: 8000, address: "" });
  });

  it("goes from a touch to a saved mapping", async () => {
    const { transport } = await open("learn", {
      "learn.poll": () => ({
        events: [
          {
            kind: "note_on",
            device: "virtual",
            channel: 10,
            number: 36,
            value: 100,
            time: 1,
            text: "note 36 (C1)",
          },
        ],
        suggestions: FOUND,
      }),
    });
    const list = await screen.findByRole("list", { name: /Matching triggers/ });
    await fireEvent.click(within(list).getAllByRole("button")[0]!);
    await fireEvent.click(screen.getByRole("radio", { name: "Add a double tap" }));
    await fireEvent.click(await screen.findByRole("button", { name: "Keystroke" }));
    await vi.waitFor(() => expect(transport.called("config.preview").length).toBeGreaterThan(0));
    const save = screen.getByRole("button", { name: /^Save/ }) as HTMLButtonElement;
    await vi.waitFor(() => expect(save.disabled).toBe(false));
    await fireEvent.click(save);
    await vi.waitFor(() =>
      expect(transport.called("config.commit")[0]).toMatchObject({
        changes: [
          {
            change_type: "CreateMapping",
            mode: "Default",
            mapping: { trigger: { type: "DoubleTap" }, action: { type: "Keystroke" } },
          },
        ],
      }),
    );
    expect(transport.called("learn.stop").length).toBeGreaterThan(0);
  });
});

describe("a control's own name", () => {
  const named = { ...CONFIG.config.settings, names: { virtual: { "note 41": "Kick" } } };
  const view = { ...CONFIG, config: { ...CONFIG.config, settings: named } };
  const opened = async (name: RegExp) => {
    const found = await open("controller", { "config.get": () => view });
    await fireEvent.keyDown(await screen.findByRole("button", { name }), { key: "Enter" });
    return found;
  };

  it("replaces the printed one, and is given in a form that refuses what would confuse", async () => {
    const { transport } = await opened(/^Pad 5\b/);
    await fireEvent.click(await screen.findByRole("button", { name: "Rename Pad 5" }));
    const form = await screen.findByRole("dialog", { name: "Rename Pad 5" });
    const field = within(form).getByRole<HTMLInputElement>("textbox", { name: "Name" });
    await vi.waitFor(() => expect([field.selectionStart, field.selectionEnd]).toEqual([0, 5]));
    const save = within(form).getByRole("button", { name: "Rename" }) as HTMLButtonElement;
    for (const [name, problem] of [
      [" ", "Enter a name."],
      ["kick", "Another control is called “kick”. Choose a different name."],
      ["Pad 6", "Another control is called “Pad 6”. Choose a different name."],
    ]) {
      await fireEvent.input(field, { target: { value: name } });
      expect(within(form).getByText(problem!)).toBeTruthy();
      expect(save.disabled).toBe(true);
    }
    await fireEvent.input(field, { target: { value: " Snare " } });
    await fireEvent.click(save);
    await vi.waitFor(() =>
      expect(transport.called("config.commit")[0]).toMatchObject({
        changes: [
          {
            change_type: "UpdateSettings",
            settings: { names: { virtual: { "note 40 ch 10": "Snare" } } },
          },
        ],
        reason: "Renamed Pad 5 to Snare",
      }),
    );
  });

  it("goes back to the printed one", async () => {
    const { transport } = await opened(/^Kick\b/);
    await fireEvent.click(await screen.findByRole("button", { name: "Rename Kick" }));
    await fireEvent.click(await screen.findByRole("button", { name: "Reset to Pad 6" }));
    await vi.waitFor(() =>
      expect(transport.called("config.commit")[0]).toMatchObject({
        changes: [{ settings: { names: { virtual: { "note 41": null } } } }],
      }),
    );
  });
});

it("a control without room for its gesture marks it, so that it reads like no tap", () => {
  const [tap, hold] = createStateRows();
  const rows = (type: string) => [
    {
      ...hold!,
      mapping: { ...tap!.mapping, trigger: { ...hold!.mapping.trigger, type } as never },
    },
  ];
  const short = (type: string) => buildLabels(PICTURE, rows(type)).get("pad1")!.short;
  expect(short("DoubleTap")).toBe("2× Mute microphone");
  expect(short("LongPress")).toBe("hold: Mute microphone");
  expect(short("Note")).toBe("Mute microphone");
});

it("a control without room for a gesture and its action names the action", () => {
  const text = "double tap: Ctrl+Shift+S";
  const label = { text, short: "Ctrl+Shift+S", x: 0, y: 0, width: 50, size: 12 };
  const { container, rerender } = render(PartLabel, { props: label });
  expect(container.textContent.replaceAll(/\s/g, "")).not.toContain("double");
  void rerender({ ...label, width: 300 });
  flushSync();
  expect(container.textContent).toContain("double tap");
});

it("a mapped control shows its own name and its action in the picture", async () => {
  const settings = { ...CONFIG.config.settings, names: { virtual: { "note 36": "Kick" } } };
  const view = { ...CONFIG, config: { ...CONFIG.config, settings } };
  await open("controller", { "config.get": () => view });
  const texts = (one: HTMLElement) =>
    [...one.querySelectorAll("text")].map((text) => text.textContent.replace(/\s+/g, " ").trim());
  expect(texts(await screen.findByRole("button", { name: /^Kick:/ }))).toEqual(
    expect.arrayContaining(["Kick", "Mute microphone"]),
  );
  expect(texts(screen.getByRole("slider", { name: /^Knob 1:/ }))[0]).toMatch(/^Knob 1 Set/);
});

describe("the views", () => {
  it("plays a pad by key, not while the user types, and releases it on blur", async () => {
    const { transport } = await open("controller");
    await screen.findByRole("button", { name: /^Pad 1:/ });
    await fireEvent.keyDown(document.body, { code: "KeyZ", key: "z" });
    await vi.waitFor(() =>
      expect(transport.called("virtual.play")).toEqual([
        { do: "press", control: "pad1", value: 90 },
      ]),
    );
    await fireEvent.blur(window);
    await vi.waitFor(() =>
      expect(transport.called("virtual.play").at(-1)).toEqual({ do: "release", control: "pad1" }),
    );
    const search = document.querySelector<HTMLInputElement>("#content [data-search]")!;
    await fireEvent.keyDown(search, { code: "KeyZ", key: "z" });
    expect(transport.called("virtual.play")).toHaveLength(2);
  });

  it("plays a key once while the first steps cover the controller", async () => {
    const { state, transport } = await open("controller");
    await screen.findByRole("button", { name: /^Pad 8:/ });
    state.ui.firstStepsOpen = true;
    const dialog = await screen.findByRole("dialog", { name: "First steps" });
    await within(dialog).findByText("Next: press something");
    await fireEvent.keyDown(dialog, { key: "Enter" });
    await fireEvent.click(
      await within(dialog).findByRole("button", { name: "Use the virtual controller instead" }),
    );
    await within(dialog).findByRole("button", { name: /^Pad 8:/ });
    await fireEvent.keyDown(dialog, { code: "KeyF", key: "f" });
    await fireEvent.keyUp(dialog, { code: "KeyF", key: "f" });
    await vi.waitFor(() =>
      expect(transport.called("virtual.play").at(-1)).toEqual({ do: "release", control: "pad8" }),
    );
    expect(transport.called("virtual.play")).toHaveLength(2);
  });

  it("shows the first steps to a newcomer once, and Esc dismisses them", async () => {
    const { state, transport } = await open("", {
      "app.hello": () => ({ ...HELLO, first_run: true }),
    });
    const dialog = await screen.findByRole("dialog", { name: "First steps" });
    const covered = [...document.querySelectorAll("a, button")].filter(
      (one) => !dialog.contains(one),
    );
    expect(covered.filter((one) => !one.closest("[inert]"))).toEqual([]);
    await fireEvent.keyDown(dialog, { key: "Escape" });
    await vi.waitFor(() =>
      expect(screen.queryByRole("dialog", { name: "First steps" })).toBeNull(),
    );
    expect(document.querySelector("[inert]")).toBeNull();
    expect(transport.called("window.set_prefs")).toContainEqual({
      patch: { first_run_done: true },
    });
    state.ui.firstStepsOpen = true;
    expect(await screen.findByRole("dialog", { name: "First steps" })).toBeTruthy();
  });
});
