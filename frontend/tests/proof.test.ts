/** The proof of a plan in each of its states. */
import { fireEvent, render, screen, within } from "@testing-library/svelte";
import { flushSync } from "svelte";
import { describe, expect, it, vi } from "vitest";
import { Client } from "$lib/client/client";
import type {
  ConfigPlan,
  Coverage,
  ExampleResult,
  Impact,
  ImpactedControl,
  Overlap,
  Replay,
} from "$lib/client/types";
import { createState } from "$lib/state/state";
import PlanProof from "$proof/PlanProof.svelte";
import { describeCause } from "$proof/cause";
import { describeCoverage, unplayedMappings } from "$proof/coverage";
import { parseSteps } from "$proof/gesture";
import { describeControl } from "$proof/impact";
import { planRisk, otherWarnings } from "$proof/words";
import App from "../src/App.svelte";
import "./load-views";
import { withNotes } from "$ui";
import { CONFIG, PLAN, fakeConductor } from "./sample";

const IMPACT: Impact = {
  controls: [
    {
      device: null,
      channel: null,
      control_class: "note",
      number: 36,
      name: null,
      modes: ["Live"],
      profile: null,
      why: "its mapping changes",
    },
    {
      device: "pads",
      channel: 10,
      control_class: "cc",
      number: 7,
      name: null,
      modes: null,
      profile: "OBS",
      why: "it reads the variable `take`",
    },
  ],
  modes: [],
  variables: ["take"],
  targets: ["keys cmd+c"],
  settings: [],
  removed_modes: [],
  renames: { modes: {}, devices: {}, profiles: {} },
  summary: "May change: note 36 (C1) in mode Live. Everything else stays the same.",
};
const REPLAY: Replay = {
  events: 40,
  seconds: 60,
  unchanged: 12,
  appear: [],
  vanish: [],
  moved: [],
  summary: "In 60 seconds of recorded input: nothing would change, 12 actions fire as before.",
  is_checked: true,
  cannot_tell: null,
  not_covered: [],
};
const changed = (index: number, played: boolean | null, side = "new") => ({
  scope: "mode:Live",
  index,
  side,
  words: `mapping ${index}`,
  played,
  gestures: 3,
});
const COVERAGE: Coverage = {
  changed: [changed(0, true)],
  gestures_played: 12_480,
  differing: 3,
  counterexamples: [1, 2, 3].map((number) => ({
    control: `note ${number}`,
    gesture: `mode Live; wait 1000; down ${35 + number}; wait 500; up ${35 + number}`,
    circumstances: "",
    control_names: [],
    before: ["Keystroke A"],
    after: [`Keystroke ${number}`],
  })),
  depth: 4,
  finished: true,
  cut_short: false,
  missing: [],
  progress: 1,
  summary: "Tried 12,480 gestures; 3 now do something else (every gesture with up to 4 touches).",
};
const example = (name: string, over: Partial<ExampleResult> = {}): ExampleResult => ({
  example: { name, gesture: "tap 40", expect: [] } as unknown as ExampleResult["example"],
  passed: false,
  fired: [],
  problem: "nothing fired",
  ...over,
});
const plan = (over: Partial<ConfigPlan>): ConfigPlan => ({
  ...PLAN,
  expires_at: "2099-01-01T00:00:00Z",
  ...over,
});
const show = (over: Partial<ConfigPlan>, more: object = {}) =>
  render(PlanProof, { view: { plan: plan(over), before_after: [], timeline: null }, ...more });
const unfold = (title: RegExp) => fireEvent.click(screen.getByText(title, { selector: "summary" }));
const line = (name: string) => within(screen.getByRole("group", { name }));

describe("a gesture", () => {
  it("leads with what is printed on each control, and keeps the number", () => {
    const labels = [
      { control: "note 36", name: "Pad 1" },
      { control: "cc 20", name: "Knob 1" },
      { control: "button south", name: "A" },
    ];
    const script = "down 36; wait 500; up 36; tap 38; cc 20 64; button south down";
    expect(parseSteps(script, labels).map((step) => step.text)).toEqual([
      "hold Pad 1 (note 36) for 500 ms",
      "tap note 38 (D1)",
      "Knob 1 (CC 20) = 64",
      "press A (button south)",
    ]);
  });
  const texts = (script: string): string[] => parseSteps(script).map((step) => step.text);
  it("reads as what a hand does", () => {
    expect(texts("mode Live; wait 1000; down 36; wait 500; up 36")).toEqual([
      "in mode Live",
      "hold note 36 (C1) for 500 ms",
    ]);
    expect(texts("mode Live; wait 1000; down 36; wait 500")).toEqual([
      "in mode Live",
      "hold note 36 (C1) for 500 ms",
    ]);
    expect(texts("down 38; down 36; wait 500")).toEqual([
      "press note 38 (D1)",
      "press note 36 (C1)",
      "500 ms",
    ]);
    expect(texts("down 36; wait 299; down 36; up 36")).toEqual([
      "press note 36 (C1)",
      "299 ms",
      "tap note 36 (C1)",
    ]);
    expect(texts("down 36; down 38; up 38; up 36")).toEqual([
      "press note 36 (C1)",
      "tap note 38 (D1)",
      "release note 36 (C1)",
    ]);
  });
  it("keeps devices, channels, velocities and names with blanks", () => {
    expect(texts("down 36 vel 20 dev pads ch 10; wait 20; up 36 dev pads ch 10")).toEqual([
      "hold note 36 (C1) for 20 ms at velocity 20 on pads ch 10",
    ]);
    expect(texts("mode Big show; cc 7 64; button a down; pressure 30 note 36")).toEqual([
      "in mode Big show",
      "CC 7 = 64",
      "press button a",
      "pressure 30 of note 36 (C1)",
    ]);
    expect(texts("down 36 dev pads; up 36 dev keys")).toEqual([
      "press note 36 (C1) on pads",
      "release note 36 (C1) on keys",
    ]);
  });
  it("shows a line that it does not know as it is", () => {
    expect(texts("unplug pads")).toEqual(["unplug pads"]);
  });
});

describe("what a change can affect", () => {
  it("is one line, and why it is so on demand", async () => {
    show({ impact: IMPACT });
    const impact = line("What may change");
    expect(
      impact.getByText("May change: note 36 (C1) in mode Live. Everything else stays the same."),
    ).toBeTruthy();
    expect(impact.queryByText("its mapping changes")).toBeNull();
    await fireEvent.click(impact.getByText("Why"));
    impact.getByRole("group").dispatchEvent(new Event("toggle"));
    flushSync();
    expect(impact.getByText("note 36 (C1) in mode Live")).toBeTruthy();
    expect(impact.getByText("its mapping changes")).toBeTruthy();
    expect(impact.getByText(withNotes("Cmd+C"))).toBeTruthy();
  });
  it("names controls of any device, channel, mode and profile", () => {
    expect(IMPACT.controls.map(describeControl)).toEqual([
      "note 36 (C1) in mode Live",
      "CC 7 ch 10 on pads in profile OBS",
    ]);
    expect(
      describeControl({ ...IMPACT.controls[0]!, device: "raw:*", number: "*", modes: ["A", "B"] }),
    ).toBe("any note on devices without a name in modes A, B");
  });
  it("leads with what is printed on a control, and keeps the number", () => {
    const [note, cc] = IMPACT.controls;
    expect(describeControl({ ...note!, name: "Pad 1" })).toBe("Pad 1 (note 36) in mode Live");
    expect(describeControl({ ...cc!, name: "Knob 1" })).toBe(
      "Knob 1 (CC 7 ch 10) on pads in profile OBS",
    );
  });
  it("is not shown when it is not known", () => {
    show({ impact: null });
    expect(screen.queryByRole("group", { name: "What may change" })).toBeNull();
    expect(screen.queryByRole("region", { name: "Proof" })).toBeNull();
  });
});

describe("the replay", () => {
  it("says that it was checked", () => {
    show({ replay: REPLAY });
    expect(
      line("Replay of your input").getByText("The replay matches what really happened"),
    ).toBeTruthy();
    expect(screen.queryByText("Not covered")).toBeNull();
  });
  it("says that it cannot tell, and why, once", () => {
    const reason = "Cannot tell for 20 seconds of it: the recording begins in a held note.";
    show({
      replay: {
        ...REPLAY,
        is_checked: false,
        cannot_tell: reason,
        summary: `In 40 seconds of recorded input: 1 action would change. ${reason}`,
      },
    });
    const replay = line("Replay of your input");
    expect(replay.getAllByText(/Cannot tell/)).toHaveLength(1);
    expect(
      replay.getByText("In 40 seconds of recorded input: 1 action would change."),
    ).toBeTruthy();
    expect(replay.queryByText(/Checked/)).toBeNull();
  });
  it("does not claim to be checked when another config was recorded", () => {
    show({ replay: { ...REPLAY, is_checked: false } });
    expect(screen.queryByText("The replay matches what really happened")).toBeNull();
    expect(screen.getByText(/^The input was recorded with another config/)).toBeTruthy();
  });
  it("lists what no replay can show", () => {
    show({
      replay: {
        ...REPLAY,
        not_covered: ["OSC would be received on port 9000; nothing was heard there before."],
      },
    });
    expect(line("Replay of your input").getByText("Not covered")).toBeTruthy();
    expect(screen.getByText(/port 9000/)).toBeTruthy();
  });
  it("has no timeline of a single moment, and counts only what the timeline shows", () => {
    const input = { time_ms: 0, device: "pads", text: "note 36", sequence: 0 };
    const timeline = { duration_ms: 0, inputs: [input], left_out: 0 };
    const firing = {
      time_ms: 0,
      scope: "mode:Default",
      index: 0,
      text: "x",
      action: { type: "Text" as const, text: "x" },
      source: 0,
      change: "same" as const,
    };
    const replay = { ...REPLAY, unchanged: 33, summary: "33 actions fire as before." };
    const view = { plan: plan({ replay }), before_after: [] };
    const { unmount } = render(PlanProof, {
      view: { ...view, timeline: { ...timeline, old: [], new: [] } },
    });
    expect(screen.queryByRole("list", { name: "Legend" })).toBeNull();
    unmount();
    const one = { ...timeline, old: [firing], new: [firing] };
    const { container } = render(PlanProof, { view: { ...view, timeline: one } });
    expect(screen.getByRole("list", { name: "Legend" }).textContent).not.toContain("1");
    const ticks = [...container.querySelectorAll("svg text")].map((one) => one.textContent);
    expect(ticks).toEqual(["0 s"]);
  });

  it("has no timeline when nothing was recorded", () => {
    const timeline = {
      duration_ms: 10,
      inputs: [{ time_ms: 0, device: "pads", text: "note 36", sequence: 0 }],
      old: [],
      new: [],
      left_out: 1,
    };
    const nothing = {
      ...REPLAY,
      events: 0,
      summary: "Nothing was recorded, so there is nothing to compare.",
    };
    const played = (replay: Replay) =>
      render(PlanProof, { view: { plan: plan({ replay }), before_after: [], timeline } });
    const { unmount } = played(REPLAY);
    expect(line("Replay of your input").getByText("1 other event is not shown.")).toBeTruthy();
    unmount();
    played(nothing);
    expect(line("Replay of your input").queryByText("1 other event is not shown.")).toBeNull();
  });
});

describe("what a plan causes", () => {
  const impact = (over: Partial<Impact>): Impact => ({
    ...IMPACT,
    controls: [],
    modes: [],
    variables: [],
    settings: [],
    removed_modes: [],
    ...over,
  });
  const pad = (name: string, over = {}): ImpactedControl => ({
    ...IMPACT.controls[0]!,
    number: name.at(-1)!,
    name,
    ...over,
  });
  const late = {
    kind: "tap_delayed",
    is_new: true,
    message: "the long press of Pad 2 (500 ms) delays its tap until it is released",
    tap_wait: { until_release: true, delay_ms: 0 },
  } as Overlap;

  it("is one line: the controls that change, and that nothing else does", () => {
    const onePad = impact({ controls: [pad("Pad 2")] });
    expect(describeCause(onePad, [late])).toBe(
      "A tap of Pad 2 now acts when you release it. All other controls stay the same.",
    );
    const said = (until_release: boolean, delay_ms: number) =>
      describeCause(onePad, [{ ...late, tap_wait: { until_release, delay_ms } }])?.split(". ")[0];
    expect(said(true, 350)).toBe(
      "A tap of Pad 2 now acts when you release it, at the earliest after 350 ms",
    );
    expect(said(false, 350)).toBe("A tap of Pad 2 now acts after 350 ms");
    expect(describeCause(onePad, [{ ...late, tap_wait: null }])).toBe(
      "This affects only Pad 2. All other controls stay the same.",
    );
    expect(describeCause(onePad, [{ ...late, is_new: false }])).toBe(
      "This affects only Pad 2. All other controls stay the same.",
    );
    const two = impact({ controls: [pad("Pad 2"), pad("Pad 3"), pad("Pad 3")] });
    expect(describeCause(two, [late])).toBe(
      "This affects only Pad 2 and Pad 3. All other controls stay the same.",
    );
    expect(describeCause(impact({}), [])).toBe("Nothing that you play changes.");
  });
  it("is left to the list if it is more than a line says", () => {
    const controls = [pad("Pad 2")];
    expect(describeCause(impact({ controls, modes: ["Live"] }), [late])).toBeNull();
    expect(describeCause(impact({ controls: [pad("Pad 2", { number: "*" })] }), [])).toBeNull();
    const many = ["Pad 1", "Pad 2", "Pad 3", "Pad 4"].map((name) => pad(name));
    expect(describeCause(impact({ controls: many }), [])).toBeNull();
  });
});

describe("generated gestures", () => {
  it("show how many were tried, how many differ, and the first of them", async () => {
    show({ coverage: COVERAGE });
    expect(screen.queryByText(/12,480/)).toBeNull();
    await unfold(/^Gestures tried/);
    const tried = line("Gestures tried");
    expect(
      tried.getByText("Tried 12,480 gestures with the affected controls; 3 now do something else"),
    ).toBeTruthy();
    expect(tried.getByText("Tried every gesture with up to 4 touches.")).toBeTruthy();
    expect(tried.getByText("hold note 36 (C1) for 500 ms")).toBeTruthy();
    expect(tried.queryByRole("progressbar")).toBeNull();
  });
  it("show one in a small place, and the others on demand", async () => {
    show({ coverage: COVERAGE }, { compact: true });
    await unfold(/^Gestures tried/);
    expect(screen.queryByText("hold note 37 (C#1) for 500 ms")).toBeNull();
    expect(screen.getByText("2 more")).toBeTruthy();
  });
  it("show their progress while they are tried", () => {
    show({
      coverage: { ...COVERAGE, finished: false, progress: 0.4, differing: 0, counterexamples: [] },
    });
    expect(
      screen.getByText(
        "Tried 12,480 gestures with the affected controls so far; all still do the same",
      ),
    ).toBeTruthy();
    expect(
      screen.getByRole("progressbar", { name: "Trying gestures" }).getAttribute("aria-valuenow"),
    ).toBe("40");
  });
  it("are not under way in a plan that was answered", async () => {
    show({ status: "applied", coverage: { ...COVERAGE, finished: false, progress: 0.4 } });
    await unfold(/^Gestures tried/);
    expect(screen.queryByRole("progressbar")).toBeNull();
    expect(screen.getByText("Stopped when the plan was decided.")).toBeTruthy();
    expect(
      describeCoverage({ ...COVERAGE, finished: false, gestures_played: 0 }, false),
    ).toBeNull();
  });
  it("say when a limit ended them, and what they leave out", async () => {
    expect(describeCoverage({ ...COVERAGE, cut_short: true }, true)?.scope).toContain("the limit");
    show({ coverage: { ...COVERAGE, missing: ["4 more groups of controls"] } });
    await unfold(/^Gestures tried/);
    expect(screen.getByText("Gesture limits")).toBeTruthy();
  });
  it("name the changed mappings that were not played", () => {
    expect(
      unplayedMappings({
        ...COVERAGE,
        changed: [changed(0, true), changed(1, false, "old"), changed(1, false), changed(2, null)],
      }),
    ).toEqual(["mapping 1"]);
    show({ coverage: { ...COVERAGE, changed: [changed(1, false)] } });
    expect(line("Not recorded").getByText("mapping 1")).toBeTruthy();
  });
});

describe("conflicts and examples", () => {
  const overlap = {
    kind: "interferes",
    severity: "warning",
    message: "the hold waits",
    places: ["mode:Live #0", "mode:Live #1"],
    is_new: true,
    gesture: "down 36; wait 299; down 36",
    tap_wait: null,
  } as const;
  const labels = [{ control: "note 36", name: "Pad 1" }];
  it("a conflict has the gesture that shows it; older ones are folded", async () => {
    show({
      overlaps: [
        { ...overlap, places: [...overlap.places], control_names: labels },
        { ...overlap, places: [], message: "an old one", is_new: false, control_names: [] },
      ],
    });
    expect(screen.getByText("the hold waits")).toBeTruthy();
    expect(screen.getByText("299 ms")).toBeTruthy();
    expect(screen.getAllByText("press Pad 1 (note 36)")).toHaveLength(2);
    expect(screen.queryByText("an old one")).toBeNull();
    await unfold(/^1 existing finding/);
    expect(screen.getByText("an old one")).toBeTruthy();
    expect(screen.queryByText(/^1 note/)).toBeNull();
  });
  it("is no warning if the config has it already, or if it is only a note", () => {
    const more = { places: [], control_names: [] };
    show({ overlaps: [{ ...overlap, ...more, is_new: false }] });
    expect(screen.queryByRole("region", { name: "Warnings" })).toBeNull();
    show({ overlaps: [{ ...overlap, ...more, severity: "info" }] });
    expect(screen.queryByRole("region", { name: "Warnings" })).toBeNull();
    show({ overlaps: [{ ...overlap, ...more }] });
    expect(screen.getByRole("region", { name: "Warnings" })).toBeTruthy();
  });
  it("kept examples that break stand out, and are told once", () => {
    const over = {
      broken_examples: [example("copy")],
      warnings: ["This breaks your example `copy`: nothing fired", "another warning"],
    };
    show(over);
    expect(line("Saved examples that fail").getByText("copy")).toBeTruthy();
    expect(screen.queryByText(/This breaks your example/)).toBeNull();
    expect(screen.getByText("another warning")).toBeTruthy();
    expect(planRisk(plan(over)).label).toBe("Breaks 1 example");
    expect(otherWarnings(plan({ warnings: over.warnings }))).toEqual(over.warnings);
  });
  it("examples of its own that fail are open, those that hold are folded", () => {
    const { unmount } = show({ examples: [example("one", { passed: true }), example("two")] });
    expect(screen.getByText("1 of its 2 examples fails")).toBeTruthy();
    expect(screen.getByText("two")).toBeTruthy();
    unmount();
    show({ examples: [example("one", { passed: true })] });
    expect(screen.getByText("Its example passes")).toBeTruthy();
    expect(screen.queryByText("one")).toBeNull();
  });
});

it("the last change can be undone from the notice that it broke a kept example", async () => {
  const transport = fakeConductor({ "config.get": () => CONFIG });
  const client = new Client(transport);
  const state = createState(client);
  client.start();
  await vi.waitFor(() => expect(state.config.hash).toBe(CONFIG.hash));
  transport.push(
    ["notice", { text: "broke `copy`", level: "warning", undoes: CONFIG.hash }],
    ["notice", { text: "broke `paste`", level: "warning", undoes: "f".repeat(64) }],
    ["notice", { text: "plain", level: "warning", undoes: null }],
  );
  const [copy, paste, other] = ["Broke `copy`", "Broke `paste`", "Plain"].map((text) =>
    state.ui.toasts.find((toast) => toast.text === text),
  );
  expect(other?.action).toBeUndefined();
  paste?.action?.run();
  expect(transport.called("config.undo")).toEqual([]);
  copy?.action?.run();
  await vi.waitFor(() => expect(transport.called("config.undo")).toHaveLength(1));
});

it("confirms a page of a second start from its notice", async () => {
  const transport = fakeConductor({
    "pages.confirm": () => ({ number: 3, opened: true, confirmed: true, given_to: null }),
  });
  const client = new Client(transport);
  const state = createState(client);
  client.start();
  await vi.waitFor(() => expect(state.config.hash).toBe(CONFIG.hash));
  transport.push([
    "notice",
    { text: "an address was given", level: "warning", undoes: null, page: 3 },
  ]);
  const notice = state.ui.toasts.find((toast) => toast.text === "An address was given");
  expect(notice?.action?.label).toBe("Confirm page 3");
  notice?.action?.run();
  await vi.waitFor(() => expect(transport.called("pages.confirm")).toEqual([{ number: 3 }]));
});

it("the view follows the gestures while they are tried", async () => {
  const one = plan({
    impact: IMPACT,
    coverage: {
      ...COVERAGE,
      finished: false,
      gestures_played: 0,
      differing: 0,
      counterexamples: [],
      progress: 0,
    },
  });
  const transport = fakeConductor({
    "plans.list": () => ({ plans: [one] }),
    "plans.get": () => ({
      plan: one,
      before_after: [],
      timeline: null,
      changes: [
        {
          change_type: "CreateMapping",
          mode: "Default",
          mapping: CONFIG.config.modes[0]!.mappings![0]!,
        },
      ],
      rows_by_change: [],
      standing: null,
      way: null,
    }),
  });
  const client = new Client(transport);
  const state = createState(client);
  state.ui.view = "plans";
  client.start();
  render(App, { state });
  expect(await screen.findByRole("progressbar", { name: "Trying gestures" })).toBeTruthy();
  transport.push([
    "plan_coverage",
    {
      plan_id: one.plan_id,
      coverage: { ...COVERAGE, finished: false, gestures_played: 900, progress: 0.1 },
    },
  ]);
  flushSync();
  expect(
    screen.getByText(
      "Tried 900 gestures with the affected controls so far; 3 now do something else",
    ),
  ).toBeTruthy();
  transport.push(["plan_coverage", { plan_id: one.plan_id, coverage: COVERAGE }]);
  flushSync();
  expect(screen.queryByRole("progressbar", { name: "Trying gestures" })).toBeNull();
  await unfold(/^Gestures tried/);
  expect(
    screen.getByText("Tried 12,480 gestures with the affected controls; 3 now do something else"),
  ).toBeTruthy();
});
