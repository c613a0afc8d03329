/** The Monitor view: decoding events, filtering, and freezing the list. */
import { fireEvent, render, screen, waitFor, within } from "@testing-library/svelte";
import { flushSync } from "svelte";
import { describe, expect, it, vi } from "vitest";
import { messageBytes, decode, triggerForEvent } from "../src/features/monitor/decode";
import {
  HIDDEN_OUTCOMES,
  OUTCOMES,
  filterTraces,
  describeResult,
  failureOf,
  outcomeOf,
  traceName,
  type Filter,
} from "../src/features/monitor/filter";
import { joinGestures } from "../src/features/monitor/gestures";
import {
  buildLanes,
  chooseLanes,
  countHidden,
  findEnd,
  markAt,
  WINDOW_S,
} from "../src/features/monitor/lanes";
import { nameMappingsIn } from "../src/features/monitor/names";
import { mergeSweeps } from "../src/features/monitor/sweeps";
import { formatClock, formatEdge, formatGap, splitAtNumbers } from "../src/features/monitor/time";
import { Client } from "$lib/client/client";
import type { EventView, FailureTopic, TraceView, WhyNot } from "$lib/client/types";
import { controlKey } from "$lib/state/monitor.svelte";
import { createState } from "$lib/state/state";
import { withNotes } from "$ui";
import App from "../src/App.svelte";
import "./load-views";
import { CONFIG, STATUS, fakeConductor, trace } from "./sample";

const event = (over: Partial<EventView>): EventView => ({ ...trace(1).event, ...over });
const ALL: Filter = { device: "", outcomes: new Set(OUTCOMES), text: "", control: null };

describe("an event in words", () => {
  it("names notes as the settings say, with every number in both notations", () => {
    expect(decode(event({})).name).toBe("C1");
    expect(decode(event({}), "C4").name).toBe("C2");
    expect(decode(event({})).numbers).toBe(
      "Note on · number 36 (0x24) · value 100 (0x64) · channel 10 · bytes 99 24 64",
    );
  });
  it("names controllers", () =>
    expect(decode(event({ kind: "cc", number: 7 })).name).toBe("CC 7 · Volume"));
  it("draws bends and sticks from the middle", () => {
    expect(decode(event({ kind: "pitch_bend", number: 0, value: 8192 })).bar).toMatchObject({
      centred: true,
    });
    expect(decode(event({ kind: "axis", number: "left_x", value: -1 })).bar).toEqual({
      at: 0,
      centred: true,
    });
  });
  it("spells the bytes of a bend low first", () =>
    expect(messageBytes(event({ kind: "pitch_bend", channel: 1, value: 8193 }))).toBe("E0 01 40"));
  it("gives the trigger that it would fire, without a device that has no alias", () => {
    expect(triggerForEvent(event({}))).toEqual({ type: "Note", note: 36, device: "pads" });
    expect(triggerForEvent(event({ device: "raw:X", kind: "cc", number: 3 }))).toEqual({
      type: "CC",
      cc: 3,
    });
    expect(triggerForEvent(event({ kind: "timer" }))).toBeNull();
  });
});

const NONE = new Map<number, FailureTopic>();
const at = (sequence: number, time: number, over: Partial<EventView>, outcome = "unmatched") =>
  trace(sequence, {
    event: event({ time, ...over }),
    outcome: outcome as "unmatched",
    candidates: [],
  });
const moved = (sequence: number, time: number, number: number, value: number) =>
  at(sequence, time, { kind: "cc", number, value });

describe("a control that is moved", () => {
  it("is one row with its values, also beside another one that is moved", () => {
    const traces = [
      moved(1, 1, 7, 10),
      moved(2, 1.1, 8, 90),
      moved(3, 1.2, 7, 20),
      moved(4, 1.3, 8, 80),
      moved(5, 1.4, 7, 30),
    ];
    const rows = mergeSweeps(traces, NONE);
    expect(rows.map((row) => [row.sequence, row.count, row.values])).toEqual([
      [5, 3, [10, 20, 30]],
      [4, 2, [90, 80]],
    ]);
  });
  it("is another row after a rest, another event or with another result", () => {
    const fired = trace(5, { event: event({ time: 4.1, kind: "cc", number: 7, value: 50 }) });
    const traces = [
      moved(1, 1, 7, 10),
      moved(2, 3, 7, 20),
      at(3, 3.1, {}),
      moved(4, 3.2, 7, 30),
      fired,
    ];
    expect(mergeSweeps(traces, NONE)).toBe(traces);
  });
});

describe("the timeline", () => {
  const lanesAt = (traces: TraceView[], now: number, count: number, selected?: string | null) =>
    chooseLanes(buildLanes(traces, NONE), now, count, selected);
  const on = (sequence: number, time: number, number: number) => at(sequence, time, { number });
  const off = (sequence: number, time: number, number: number, outcome: string) =>
    at(sequence, time, { kind: "note_off", number, value: 0 }, outcome);

  it("draws presses as long as they are held, in the colour of what came of them", () => {
    const traces = [on(1, 80, 36), off(2, 80.8, 36, "fired"), on(3, 89, 37)];
    const lanes = lanesAt(traces, 90, 5);
    expect(
      lanes.map((lane) => lane.marks.map(({ from, to, outcome }) => [from, to, outcome])),
    ).toEqual([[[80, 80.8, "fired"]], [[89, null, "unmatched"]]]);
    expect(markAt(lanes[1]!, 89.9, 90, 0.1)?.trace.sequence).toBe(3);
    expect(markAt(lanes[0]!, 82, 90, 0.1)).toBeNull();
  });
  it("draws a control that is moved as a curve", () => {
    const [lane] = lanesAt([moved(1, 1, 7, 0), moved(2, 1.5, 7, 127)], 2, 5);
    expect(lane).toMatchObject({ isCurve: true, marks: [{ value: 0 }, { value: 1 }] });
  });
  it("keeps what was played last, and shows what was played around a selected event", () => {
    expect(findEnd(100, undefined, 101, false)).toBeNull();
    expect(findEnd(100, undefined, 900, false)).toBe(100 + WINDOW_S / 2);
    expect(findEnd(100, undefined, 900, true)).toBeCloseTo(100.3);
    expect(findEnd(100, 40, 900, true)).toBe(40 + WINDOW_S / 2);
    expect(findEnd(undefined, undefined, 900, false)).toBeNull();
  });
  it("shows only what was played last", () => {
    const traces = [on(1, 50, 36), on(2, 89, 36 + 1), on(3, 89.2, 38), on(4, 90, 39)];
    expect(lanesAt([traces[0]!], 50 + WINDOW_S + 1, 5)).toEqual([]);
    expect(lanesAt(traces, 90, 2).map((lane) => lane.event.number)).toEqual([38, 39]);
    const all = buildLanes(traces, NONE);
    expect(countHidden(all, lanesAt(traces, 90, 2), 90)).toBe(1);
    expect(countHidden(all, lanesAt(traces, 90, 5), 90)).toBe(0);
  });
  it("keeps the order of the lanes when another time is shown", () => {
    const traces = [on(1, 10, 37), on(2, 11, 36), on(3, 89, 36), on(4, 90, 37)];
    for (const now of [12, 91])
      expect(lanesAt(traces, now, 5).map((lane) => lane.event.number)).toEqual([36, 37]);
  });
  it("keeps a lane for the selected event when more controls were played than there are lanes", () => {
    const traces = [on(1, 88, 36), on(2, 89, 37), on(3, 89.2, 38), on(4, 90, 39)];
    const key = controlKey(traces[0]!.event);
    const lanes = lanesAt(traces, 90, 2, key);
    expect(lanes.map((lane) => lane.event.number)).toEqual([36, 39]);
  });
});

describe("the filter", () => {
  const failure = {
    mapping: "Mute microphone",
    scope: "mode:Default",
    index: 0,
    reason: "no such `app`",
    time: 9,
  } as FailureTopic;
  const some = [
    trace(1),
    trace(2, { outcome: "unmatched", candidates: [] }),
    trace(3, { event: event({ device: "keys" }) }),
  ];
  it("gives the same list when everything passes", () =>
    expect(filterTraces(some, ALL, new Map())).toBe(some));
  it("finds a control with a name of the user's own by its printed name too", () => {
    const renamed = trace(4, { event: event({ control: "Kick drum", printed: "Pad 2" }) });
    expect(filterTraces([...some, renamed], { ...ALL, text: "pad 2" }, new Map())).toEqual([
      renamed,
    ]);
  });
  it("finds by device, outcome and words", () => {
    expect(filterTraces(some, { ...ALL, device: "keys" }, new Map())).toEqual([some[2]]);
    expect(filterTraces(some, { ...ALL, outcomes: new Set(["unmatched"]) }, new Map())).toEqual([
      some[1],
    ]);
    expect(filterTraces(some, { ...ALL, text: "MUTE loud" }, new Map())).toEqual([
      some[0],
      some[2],
    ]);
    expect(
      filterTraces(some, { ...ALL, outcomes: new Set(["failed"]) }, new Map([[3, failure]])),
    ).toEqual([some[2]]);
  });
  it("hides the end of a press, except that it decided against a mapping", () => {
    const up = { event: event({ kind: "note_off", value: 0 }), outcome: "released" } as const;
    const plain = trace(4, { ...up, candidates: [] });
    const short = trace(5, {
      ...up,
      candidates: [
        { ...trace(1).candidates[0]!, outcome: "no", reason: "held 20 ms, needs 500 ms" },
      ],
    });
    const shown = new Set(OUTCOMES.filter((one) => !HIDDEN_OUTCOMES.has(one)));
    expect(filterTraces([plain, short], { ...ALL, outcomes: shown }, new Map())).toEqual([short]);
    shown.add("released");
    expect(filterTraces([plain, short], { ...ALL, outcomes: shown }, new Map())).toHaveLength(2);
    expect(describeResult(plain, undefined)).toBe("");
    expect(describeResult(short, undefined)).toBe("held 20 ms, needs 500 ms");
  });
  it("shows a press with the outcome of its gesture, in one row", () => {
    const press = trace(1, { outcome: "waiting" });
    const up = trace(2, { event: event({ kind: "note_off" }), outcome: "released", gesture: 1 });
    const late = { kind: "timer", number: 0, time: press.event.time + 0.25 } as const;
    const timer = trace(3, { event: event(late), gesture: 1 });
    const released = { ...up, candidates: [] };
    expect(joinGestures([press, released])).toEqual([press, released]);
    const [shown, , end] = joinGestures([press, released, timer]);
    expect([shown?.outcome, end?.outcome]).toEqual(["fired", "info"]);
    const failed = new Map([[3, failure]]);
    expect(outcomeOf(shown!, failed)).toBe("failed");
    const first = { scope: "mode:Default", index: 0 };
    const rows = [{ ...first, mapping: {}, words: { action: "Ctrl+C" } }] as never;
    expect(describeResult(shown!, failureOf(shown!, failed), rows)).toBe(
      "Ctrl+C failed: no such app",
    );
    expect(outcomeOf(end!, failed)).toBe("info");
    expect(traceName(end!)).toBe("C1, after 250 ms");
    const no = { ...trace(1).candidates[0]!, outcome: "no" as const, reason: "held 20 ms" };
    const [short] = joinGestures([press, { ...up, candidates: [no] }]);
    expect(short?.outcome).toBe("unmatched");
    expect(describeResult(short!, undefined)).toBe("held 20 ms");
    const tooShort = { ...up, gesture: 0, candidates: [no] };
    expect(joinGestures([press, tooShort]).map((one) => one.outcome)).toEqual([
      "unmatched",
      "released",
    ]);
    const betweenTaps = { ...up, gesture: 0, outcome: "waiting" as const };
    const taps = joinGestures([press, betweenTaps, timer]);
    expect(taps.map((one) => one.outcome)).toEqual(["fired", "released", "info"]);
    const second = trace(4, { gesture: 1 });
    const doubled = joinGestures([press, second]);
    expect(doubled.map((one) => one.outcome)).toEqual(["released", "fired"]);
    expect(doubled.map((one) => outcomeOf(one, new Map([[4, failure]])))).toEqual([
      "released",
      "failed",
    ]);
  });
  it("says what came of the first press of a double tap, also when its action ends", () => {
    const press = trace(1, { outcome: "waiting" });
    const up = trace(2, { event: event({ kind: "note_off" }), outcome: "waiting" });
    const second = trace(3, { gesture: 1 });
    const effect = { kind: "release" as const, action: {}, mapping: "Roll", words: "" } as never;
    const ended = { event: event({ kind: "note_off" }), outcome: "released" as const };
    const end = trace(4, { ...ended, candidates: [], effects: [effect] });
    const [first, , , last] = joinGestures([press, up, second, end]);
    expect(first?.outcome).toBe("released");
    const rows = [
      { scope: "mode:Default", index: 0, mapping: {}, words: { action: "Ctrl+C" } },
    ] as never;
    expect(describeResult(first!, undefined, rows)).toBe("first press: Ctrl+C");
    expect(describeResult(first!, failure, rows)).toBe("first press: Ctrl+C failed: no such app");
    expect(describeResult(last!, undefined)).toBe("Roll ended");
  });
  it("says how long an action waited for another press", () => {
    const press = trace(1, { outcome: "waiting" });
    const late = { kind: "timer", number: 0, time: press.event.time + 0.3 } as const;
    const [shown] = joinGestures([press, trace(2, { event: event(late), gesture: 1 })]);
    const rows = [
      { scope: "mode:Default", index: 0, mapping: {}, words: { action: "Ctrl+C" } },
    ] as never;
    expect(describeResult(shown!, undefined, rows)).toBe("Ctrl+C · after 300 ms");
  });
  it("hides the release that fired the mapping of a press", () => {
    const up = trace(2, { event: event({ kind: "note_off" }), gesture: 1 });
    const tap = joinGestures([trace(1, { outcome: "waiting" }), up]);
    expect(tap.map((one) => one.outcome)).toEqual(["fired", "released"]);
    const outcomes = new Set(OUTCOMES.filter((one) => !HIDDEN_OUTCOMES.has(one)));
    expect(filterTraces(tap, { ...ALL, outcomes }, new Map())).toEqual([tap[0]]);
  });
  it("says why a mapping of the control was not tried", () => {
    const row = (enabled: boolean, over: object, scope = "mode:Default") =>
      ({
        scope,
        index: 0,
        mapping: { enabled, description: "Mute" },
        words: {
          action: "Ctrl+M",
          controls: [{ device: "pads", channel: null, control_class: "note", number: 36, ...over }],
        },
      }) as never;
    const unmapped = trace(2, { outcome: "unmatched", candidates: [], mode: "Default" });
    const said = (rows: never[]) => describeResult(unmapped, undefined, rows);
    expect(said([row(false, {})])).toBe("switched off: Mute");
    expect(said([row(true, { device: "keys" })])).toBe("mapped on keys only");
    expect(said([row(true, { channel: 3 })])).toBe("mapped on channel 3 only");
    expect(said([row(true, {}, "mode:Verse")])).toBe("mapped in Verse only");
    const modes = ["Verse", "Chorus", "Bridge", "Solo", "Outro"].map((name) => `mode:${name}`);
    const inModes = modes.map((scope) => row(true, {}, scope));
    expect(said(inModes.slice(0, 3))).toBe("mapped in Verse, Chorus, and Bridge only");
    expect(said([...inModes, inModes[0]!])).toBe(
      "mapped in Verse, Chorus, Bridge, and 2 more only",
    );
    expect(said([row(true, { number: 37 })])).toBe("not mapped in this mode");
  });
  it("names the mode that is active after a mode change, and a test", () => {
    const back = { type: "ModeChange", mode: "Chorus", behaviour: "toggle" } as const;
    const effect = { kind: "mode" as const, action: back, mapping: "There and back", words: "" };
    const change = trace(1, { outcome: "mode", new_mode: "Verse", effects: [effect] });
    expect(describeResult(change, undefined)).toBe("Mode Verse");
    const test = { ...effect, kind: "do" as const, mapping: "preview 1" };
    const run = { event: event({ kind: "timer" }), effects: [test], candidates: [] };
    expect(traceName(trace(2, run))).toBe("Test of an action");
  });
  it("says what became of an event", () => {
    const first = { scope: "mode:Default", index: 0 };
    const rows = [{ ...first, mapping: { description: "Mute" }, words: { action: "Ctrl+M" } }];
    expect(describeResult(some[0]!, undefined, rows as never)).toBe("Mute · Ctrl+M");
    expect(describeResult(some[0]!, failure)).toBe("Mute microphone failed: no such app");
    expect(describeResult(some[1]!, undefined)).toBe("not mapped in this mode");
    const sent = trace(7, {
      effects: [
        {
          kind: "do",
          action: { type: "Plugin", server: "obs", tool: "set_level", args: { level: 64 } },
          mapping: "Mute microphone",
          words: "set level 64 via obs",
        },
      ],
    });
    expect(describeResult(sent, undefined, rows as never)).toBe("set level 64 via obs");
    expect(describeResult(sent, failure)).toBe("set level 64 via obs failed: no such app");
  });
});

it("names mappings by their control in an explanation", () => {
  const row = (scope: string, index: number, description: string | null) =>
    ({
      scope,
      index,
      mapping: { description },
      words: { trigger: "Pad 1", action: "Cmd+C" },
    }) as never;
  const rows = [
    row("mode:Default", 0, "Copy"),
    row("profile:OBS", 1, null),
    row("global", 0, "Home"),
  ];
  const named = (text: string): string => nameMappingsIn(text, rows);
  expect(named("`Note 36 (C1) ch 10 on virtual, mapping 1 of mode Default` did Keystroke a")).toBe(
    "`Pad 1: Copy` did Keystroke a",
  );
  expect(named("Copy, mapping 1 of mode Default")).toBe("Pad 1: Copy");
  expect(named("mapping 2 of profile OBS")).toBe(`Pad 1: ${withNotes("Cmd+C")}`);
  expect(named("`global #0` comes first; `mapping 1 of all modes` waits")).toBe(
    "`Pad 1: Home` comes first; `Pad 1: Home` waits",
  );
  expect(named("`Undo, mapping 9 of mode Gone` fired")).toBe(
    "`Undo, mapping 9 of mode Gone` fired",
  );
});

describe("times", () => {
  it("takes the unit that fits", () =>
    expect([0.0012, 0.25, 3.14, 61, 119.9, 3599].map(formatGap)).toEqual([
      "+1.2 ms",
      "+250 ms",
      "+3.1 s",
      "+1 min",
      "+2 min",
      "+1 h",
    ]));
  it("shows milliseconds", () =>
    expect(formatClock(new Date(2026, 0, 1, 3, 4, 5, 6).getTime() / 1000)).toBe("3:04:05.006 AM"));
  it("ends the timeline now, when the list was frozen, or at rest until the next input", () => {
    expect(formatEdge(null, false)).toBe("now");
    expect(formatEdge(9, false)).toBe("waiting for input");
    expect(formatEdge(new Date(2026, 0, 1, 3, 4, 5).getTime() / 1000, true)).toBe("3:04:05 AM");
  });
  it("sets off what was measured or is required, and no number of a name", () => {
    const bold = (text: string) =>
      splitAtNumbers(text)
        .filter((part) => part.number)
        .map((part) => part.text);
    expect(bold("held 431 ms, needs 500")).toEqual(["431 ms", "500"]);
    expect(bold("`Pad 2: copy` on channel 10 waits, 34 ms left")).toEqual(["34 ms"]);
    expect(bold("a velocity of at most 20 %, note C#1, F13, 1s2")).toEqual(["20 %"]);
    expect(bold("press notes 36 and 40 within 60 ms of each other")).toEqual(["60 ms"]);
  });
});

describe("the view", () => {
  async function open(answers: Parameters<typeof fakeConductor>[0] = {}) {
    const transport = fakeConductor(answers);
    const client = new Client(transport);
    const state = createState(client);
    state.ui.view = "monitor";
    client.start();
    render(App, { state });
    await waitFor(() => expect(transport.called("monitor.recent")).toHaveLength(1));
    return { state, transport };
  }
  it("teaches when nothing was played", async () => {
    await open();
    expect(screen.getByText("Play something")).toBeTruthy();
  });
  it("holds still while events go on, counts them, and goes on", async () => {
    const { transport } = await open();
    transport.push(["trace", trace(1)]);
    flushSync();
    await fireEvent.click(screen.getByRole("button", { name: "Pause list" }));
    transport.push(["trace", trace(2)], ["trace", trace(3)]);
    flushSync();
    expect(screen.getAllByRole("option")).toHaveLength(1);
    await fireEvent.click(screen.getByRole("button", { name: "Show live · 2 new" }));
    expect(screen.getAllByRole("option")).toHaveLength(3);
  });
  it("counts no new events that its filters hide", async () => {
    const { transport } = await open();
    transport.push(["trace", trace(1)]);
    flushSync();
    await fireEvent.click(screen.getByRole("button", { name: "Pause list" }));
    transport.push(["trace", trace(2, { outcome: "info" })]);
    flushSync();
    expect(screen.getByRole("button", { name: "Show live" })).toBeTruthy();
  });
  it("is as the user left it after a visit of another view", async () => {
    const { state, transport } = await open();
    transport.push(["trace", trace(1)]);
    flushSync();
    await fireEvent.input(screen.getByRole("searchbox"), { target: { value: "pads" } });
    await fireEvent.click(screen.getByRole("button", { name: "Pause list" }));
    state.ui.navigate("learn");
    await waitFor(() => expect(screen.queryByRole("searchbox")).toBeNull());
    transport.push(["trace", trace(2)]);
    flushSync();
    state.ui.navigate("monitor");
    await screen.findByRole("button", { name: "Show live · 1 new" });
    expect(screen.getByRole<HTMLInputElement>("searchbox").value).toBe("pads");
    expect(screen.getAllByRole("option")).toHaveLength(1);
  });
  it("says what an event did by the config that was running at that time", async () => {
    let answer = structuredClone(CONFIG);
    const { state, transport } = await open({ "config.get": () => answer });
    await waitFor(() => expect(state.config.rows.length).toBeGreaterThan(0));
    transport.push(["trace", trace(1)]);
    flushSync();
    const result = (index: number): string =>
      screen.getAllByRole("option")[index]!.querySelector(".result")!.textContent;
    expect(result(0)).toContain("Mute microphone");
    answer = structuredClone(CONFIG);
    answer.hash = "the next one";
    answer.config.modes[0]!.mappings![0]!.description = "Push to talk";
    transport.push(["config", { hash: answer.hash }]);
    await waitFor(() => expect(state.config.hash).toBe(answer.hash));
    transport.push(["trace", trace(2)]);
    flushSync();
    expect(result(0)).toContain("Mute microphone");
    expect(result(1)).toContain("Push to talk");
  });
  it("stops waiting for a touch at Escape", async () => {
    const { transport } = await open();
    transport.push(["trace", trace(1)]);
    flushSync();
    await fireEvent.click(screen.getByRole("button", { name: "Touch a control" }));
    await fireEvent.keyDown(document.body, { key: "Escape" });
    expect(screen.getByRole("button", { name: "Touch a control", pressed: false })).toBeTruthy();
  });
  it("says that a selected event pauses it, and offers to explain the event", async () => {
    const { transport } = await open();
    transport.push(["trace", trace(1)]);
    flushSync();
    await fireEvent.click(screen.getByRole("option"));
    const note = screen.getByText("List paused while an event is selected");
    const why = note.parentElement!.querySelector("button")!;
    expect(why.textContent).toContain("Why?");
    await fireEvent.click(why);
    await screen.findByRole("complementary", { name: "Why?" });
  });
  it("puts a failure to its event, whichever comes first", async () => {
    const { state, transport } = await open();
    const failure = {
      mapping: "Mute microphone",
      scope: "mode:Default",
      index: 0,
      action: trace(1).candidates[0]!.action,
      reason: "no such `app`",
      time: 0.71,
      sequence: 7,
    };
    const did = {
      effects: [
        {
          kind: "do" as const,
          action: trace(1).candidates[0]!.action,
          mapping: "Mute microphone",
          words: "Keystroke ctrl+m",
        },
      ],
    };
    transport.push(["trace", trace(1, did)]);
    transport.push(["failure", failure]);
    transport.push(["trace", trace(7, did)]);
    flushSync();
    expect([...state.monitor.failed.keys()]).toEqual([7]);
    expect(state.monitor.lights.get("mode:Default#0")?.outcome).toBe("failed");
  });
  it("puts out the light of a mapping that waited until another one acted", async () => {
    const { state, transport } = await open();
    const [first] = trace(1).candidates;
    const candidates = (own: "waiting" | "no", other: "waiting" | "fired") => [
      { ...first!, outcome: other },
      { ...first!, index: 1, outcome: own },
    ];
    const light = (index: number) => state.monitor.lights.get(`mode:Default#${index}`)?.outcome;
    transport.push([
      "trace",
      trace(1, { outcome: "waiting", candidates: candidates("waiting", "waiting") }),
    ]);
    await vi.waitFor(() => expect([light(0), light(1)]).toEqual(["waiting", "waiting"]));
    transport.push(["trace", trace(2, { gesture: 1, candidates: candidates("no", "fired") })]);
    await vi.waitFor(() => expect([light(0), light(1)]).toEqual(["fired", undefined]));
  });

  it("remembers failures and times over a reload of the page", async () => {
    const failure = {
      mapping: "Mute microphone",
      scope: "mode:Default",
      index: 0,
      action: trace(1).candidates[0]!.action,
      reason: "no sound server answers",
      time: 0.71,
      sequence: 1,
    };
    const epoch = new Date(2026, 0, 1, 3, 4, 5, 0).getTime() / 1000;
    await open({
      "monitor.recent": () => ({ traces: [trace(1)], failures: [failure], epoch }),
    });
    const row = await screen.findByRole("option");
    expect(row.textContent).toContain("Failed");
    expect(row.textContent).toContain("no sound server answers");
    expect(row.textContent).toContain(formatClock(epoch + trace(1).event.time));
  });
  it("keeps the times of events without a connection, and promises no new ones", async () => {
    const epoch = new Date(2026, 0, 1, 3, 4, 5, 0).getTime() / 1000;
    const recent = { traces: [trace(1)], failures: [], epoch };
    const { state, transport } = await open({ "monitor.recent": () => recent });
    await screen.findByText("New events are shown as they come.");
    transport.setLink("lost");
    state.ui.navigate("history");
    flushSync();
    state.ui.navigate("monitor");
    await screen.findByText("Not connected: new events are not shown.");
    const time = formatClock(epoch + trace(1).event.time);
    expect(screen.getByRole("option").textContent).toContain(time);
    transport.setLink("open");
    await screen.findByText("New events are shown as they come.");
  });
  it("stays empty when it was cleared while earlier events were loading", async () => {
    let answer: (past: unknown) => void = () => undefined;
    const past = new Promise((resolve) => (answer = resolve));
    const { state, transport } = await open({ "monitor.recent": () => past });
    await fireEvent.click(screen.getByRole("button", { name: "Clear" }));
    transport.push(["trace", trace(3)]);
    answer({ traces: [trace(1), trace(2), trace(3)], failures: [], epoch: 0 });
    await waitFor(() => expect(state.monitor.traces.map((one) => one.sequence)).toEqual([3]));
    await state.monitor.loadRecent();
    expect(state.monitor.traces.map((one) => one.sequence)).toEqual([3]);
  });
  it("keeps the list and its focus when an explanation opens and closes", async () => {
    const { transport } = await open();
    transport.push(["trace", trace(1)]);
    flushSync();
    const list = screen.getByRole("listbox", { name: "Events" });
    list.focus();
    await fireEvent.keyDown(list, { key: "ArrowDown" });
    await fireEvent.keyDown(list, { key: "Enter" });
    await screen.findByRole("complementary", { name: "Why?" });
    expect(document.activeElement).toBe(list);
    const close = screen.getByRole("button", { name: "Close" });
    close.focus();
    await fireEvent.click(close);
    expect(document.activeElement).toBe(list);
    await fireEvent.keyDown(list, { key: "Enter" });
    (await screen.findByRole("button", { name: "Close" })).focus();
    await fireEvent.keyDown(document.activeElement!, { key: "Escape" });
    await waitFor(() => expect(screen.queryByRole("complementary", { name: "Why?" })).toBeNull());
    expect(document.activeElement).toBe(list);
  });
  it("maps the control of the selected event by M, but leaves for Mappings by G M", async () => {
    const { state, transport } = await open();
    transport.push(["trace", trace(1)]);
    flushSync();
    const list = screen.getByRole("listbox", { name: "Events" });
    await fireEvent.click(screen.getByRole("option"));
    const asked: unknown[] = [];
    state.ui.navigate = (view: string, params?: unknown) => void asked.push([view, params]);
    await fireEvent.keyDown(list, { key: "g" });
    await fireEvent.keyDown(list, { key: "m" });
    expect(asked).toEqual([["mappings", undefined]]);
    await fireEvent.keyDown(list, { key: "m" });
    expect(asked[1]).toMatchObject(["mappings", { kind: "draft" }]);
  });
  it("explains an event in steps, and begins a mapping from it", async () => {
    const { state, transport } = await open();
    transport.push(["trace", trace(1)]);
    flushSync();
    // A double click opens the row, and selects no text.
    expect(await fireEvent.mouseDown(screen.getByRole("option"), { detail: 2 })).toBe(false);
    await fireEvent.dblClick(screen.getByRole("option"));
    await fireEvent.click(await screen.findByText("Step by step"));
    await screen.findByText("judged in mode Default");
    expect(transport.called("monitor.explain")).toEqual([{ sequence: 1 }]);
    const asked: unknown[] = [];
    state.ui.navigate = (view: string, params?: unknown) => void asked.push([view, params]);
    await fireEvent.click(screen.getAllByRole("button", { name: "Map this control" }).at(-1)!);
    expect(asked).toEqual([
      [
        "mappings",
        { kind: "draft", start: { trigger: { type: "Note", note: 36, device: "pads" } } },
      ],
    ]);
  });
  it("offers to switch on a mapping that is off, and to switch to the mode of another", async () => {
    const off = structuredClone(CONFIG);
    off.config.modes[0]!.mappings![0]!.enabled = false;
    const why = (over: Partial<WhyNot>): WhyNot => ({
      kind: "disabled",
      mapping: "Hidden for now",
      name: "Hidden for now, mapping 1 of mode Default",
      scope: "mode:Default",
      index: 0,
      text: "it is off",
      what_would_change: "switch the mapping on",
      ...over,
    });
    const { transport } = await open({
      "config.get": () => off,
      "monitor.explain": () => ({
        trace: trace(1),
        steps: [],
        explanation: {
          outcome: "not_fired",
          verdict: "`Hidden for now` did not fire: it is off",
          fired: [],
          reasons: [
            why({}),
            why({
              kind: "mode",
              mapping: "mode:Studio #0",
              scope: "mode:Studio",
              text: "it is not",
            }),
            why({ kind: "too_short", text: "held 300 ms, needs 400" }),
          ],
          what_would_change: "switch the mapping on",
          timeline: [],
        },
      }),
    });
    transport.push(["trace", trace(1, { outcome: "unmatched", candidates: [] })]);
    flushSync();
    await fireEvent.dblClick(screen.getByRole("option"));
    const list = await screen.findByRole("list", { name: "Other mappings of this control" });
    expect([...list.querySelectorAll("li")].map((one) => one.textContent)).toEqual([
      expect.stringContaining("Switch to mode Studio"),
      expect.stringContaining("held 300 ms"),
    ]);
    const answer = screen.getByRole("region", { name: "Verdict" });
    expect(answer.textContent).toContain("Mute microphone");
    expect(answer.textContent).not.toContain("Enable the mapping");
    await fireEvent.click(within(answer).getByRole("button", { name: "Switch on" }));
    await waitFor(() =>
      expect(transport.called("config.commit")).toMatchObject([
        {
          changes: [{ change_type: "UpdateMapping", mode: "Default", index: 0, enabled: true }],
          reason: "Switched on “Mute microphone”",
        },
      ]),
    );
    await fireEvent.click(screen.getByRole("button", { name: "Switch to mode Studio" }));
    expect(transport.called("modes.switch")).toEqual([{ mode: "Studio" }]);
  });
  it("shows the triggers of other mappings, which may have one name", async () => {
    const { transport } = await open({
      "monitor.explain": () => ({
        trace: trace(1),
        steps: [],
        explanation: {
          outcome: "acted",
          verdict: "",
          fired: [],
          reasons: [1, 2].map((index) => ({
            kind: "too_short" as const,
            mapping: `mode:Default #${index}`,
            scope: "mode:Default",
            index,
            text: "held 300 ms",
            what_would_change: "",
          })),
          what_would_change: null,
          timeline: [],
        },
      }),
    });
    transport.push(["trace", trace(1, { outcome: "fired", candidates: [] })]);
    flushSync();
    await fireEvent.dblClick(screen.getByRole("option"));
    const list = await screen.findByRole("list", { name: "Other mappings of this control" });
    const rows = CONFIG.rows["mode:Default"]!;
    expect([...list.querySelectorAll("li")].map((one) => one.textContent)).toEqual([
      expect.stringContaining(withNotes(rows[1]!.trigger)),
      expect.stringContaining(withNotes(rows[2]!.trigger)),
    ]);
  });
  it("offers nothing that is in effect already, and the same button once", async () => {
    const why = (index: number, over: Partial<WhyNot> = {}): WhyNot => ({
      kind: "mode",
      mapping: `mode:Studio #${index}`,
      name: `mapping ${index + 1} of mode Studio`,
      scope: "mode:Studio",
      index,
      text: "mode Studio was not active",
      what_would_change: "switch to mode Studio",
      ...over,
    });
    const { transport } = await open({
      "monitor.explain": () => ({
        trace: trace(1),
        steps: [],
        explanation: {
          outcome: "not_fired",
          verdict: "",
          fired: [],
          reasons: [why(0), why(1), why(0, { kind: "paused", text: "mappings were paused" })],
          what_would_change: null,
          timeline: [],
        },
      }),
    });
    transport.push(["trace", trace(1, { outcome: "unmatched", candidates: [] })]);
    flushSync();
    await fireEvent.dblClick(screen.getByRole("option"));
    expect(await screen.findAllByRole("button", { name: "Switch to mode Studio" })).toHaveLength(1);
    screen.getByText("Mappings are no longer paused: play the control again.");
    transport.push(["status", { ...STATUS, mode: "Studio" }]);
    await screen.findByText("Mode Studio is active now: play the control again.");
    expect(screen.queryByRole("button", { name: "Switch to mode Studio" })).toBeNull();
  });
  it("leads from what fired to its mapping, and from a failure to the mapping's form", async () => {
    const fired = {
      mapping: "Mute microphone",
      scope: "mode:Default",
      index: 0,
      outcome: "acted" as const,
      text: "`Mute microphone` did Ctrl+M (at once)",
    };
    const { state, transport } = await open({
      "monitor.explain": () => ({
        trace: trace(1),
        steps: [],
        explanation: {
          outcome: "acted",
          verdict: fired.text,
          fired: [fired],
          reasons: [],
          what_would_change: null,
          timeline: [],
        },
      }),
    });
    transport.push(["trace", trace(1)]);
    flushSync();
    const asked: unknown[] = [];
    state.ui.navigate = (view: string, params?: unknown) => void asked.push([view, params]);
    await fireEvent.dblClick(screen.getByRole("option"));
    const answer = await screen.findByRole("region", { name: "Verdict" });
    expect(answer.textContent).toMatch(/Fired\s*Mute microphone/);
    await fireEvent.click(within(answer).getByRole("button", { name: "Show mapping" }));
    expect(asked).toEqual([["mappings", { kind: "row", scope: "mode:Default", index: 0 }]]);
    transport.push([
      "failure",
      {
        ...fired,
        action: trace(1).candidates[0]!.action,
        reason: "no such `app`",
        time: 1,
        sequence: 1,
      },
    ]);
    await within(answer).findByRole("button", { name: "Edit mapping" });
    const [row] = screen.getAllByRole("option");
    expect(row!.textContent).not.toContain("`");
  });
  it("leaves a link as it is written, and adds no second mark to a question", async () => {
    const { transport } = await open({
      "monitor.explain": () => ({
        trace: trace(1),
        steps: [],
        explanation: {
          outcome: "not_fired",
          verdict: "`https://twitch.tv` cannot be opened: is it on?",
          fired: [],
          reasons: [],
          what_would_change: null,
          timeline: [],
        },
      }),
    });
    transport.push(["trace", trace(1)]);
    flushSync();
    await fireEvent.dblClick(screen.getByRole("option"));
    const answer = await screen.findByRole("region", { name: "Verdict" });
    expect(answer.textContent).toContain("https://twitch.tv cannot be opened: is it on? ");
  });
  it("says in one sentence what became of the gesture, and what would change it", async () => {
    const { transport } = await open();
    transport.push(["trace", trace(1)]);
    flushSync();
    await fireEvent.dblClick(screen.getByRole("option"));
    const answer = await screen.findByRole("region", { name: "Verdict" });
    expect(answer.textContent).toContain(
      "Hold did not fire: held 300 ms, long press needs 400 ms.",
    );
    expect(answer.textContent).toContain("Hold it for 400 ms.");
  });
  it("shows a flood a few times a second, and all of it", async () => {
    const { state, transport } = await open();
    vi.useFakeTimers();
    try {
      const newest = (): string => screen.getAllByRole("option").at(-1)!.textContent;
      const flood = (first: number): void => {
        const event = trace(1).event;
        transport.push(
          ...Array.from({ length: 80 }, (_, index): ["trace", TraceView] => [
            "trace",
            trace(first + index, { event: { ...event, number: (first + index) % 128 } }),
          ]),
        );
        flushSync();
      };
      flood(1);
      const atOnce = newest();
      flood(81);
      expect(newest()).toBe(atOnce);
      vi.advanceTimersByTime(330);
      flushSync();
      expect(newest()).not.toBe(atOnce);
      expect(state.monitor.traces).toHaveLength(160);
      const later = newest();
      flood(161);
      expect(newest()).toBe(later);
      vi.advanceTimersByTime(330);
      flushSync();
      expect(state.monitor.traces).toHaveLength(240);
      // The flood has ended.
      vi.advanceTimersByTime(330);
      transport.push(["trace", trace(241)]);
      expect(state.monitor.traces).toHaveLength(241);
    } finally {
      vi.useRealTimers();
    }
  });
});
