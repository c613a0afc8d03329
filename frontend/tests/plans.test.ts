/** The Plans view: its wording, replay timelines, and the user's decisions. */
import { fireEvent, render, screen, waitFor } from "@testing-library/svelte";
import { tick } from "svelte";
import { describe, expect, it, vi } from "vitest";
import {
  createScale,
  formatRoundTime,
  groupMoments,
  listRoundTimes,
  nearestMoment,
  nextMoment,
} from "$proof/timeline";
import {
  applyLabel,
  matchesSearch,
  planAdvice,
  sortPlans,
  planRisk,
  planTitle,
  requesterName,
  statusBadge,
} from "$proof/words";
import { Client } from "$lib/client/client";
import type { ConfigPlan, Timeline, TimelineFiring } from "$lib/client/types";
import { createState } from "$lib/state/state";
import type { Handlers } from "$lib/transport/fake";
import App from "../src/App.svelte";
import PlanItem from "../src/features/plans/PlanItem.svelte";
import "./load-views";
import { CONFIG, PLAN, ROWS, fakeConductor } from "./sample";

const plan = (over: Partial<ConfigPlan>): ConfigPlan => ({
  ...PLAN,
  expires_at: "2099-01-01T00:00:00Z",
  ...over,
});
const VIEW = { before_after: [], rows_by_change: [], timeline: null, standing: null, way: null };
const firing = (
  time_ms: number,
  source: number | null,
  change: TimelineFiring["change"],
): TimelineFiring => ({
  time_ms,
  scope: "mode:Default",
  index: 0,
  text: "x",
  action: { type: "Text", text: "x" },
  source,
  change,
});
const TIMELINE: Timeline = {
  duration_ms: 61_000,
  inputs: [0, 100, 60_000].map((time_ms, sequence) => ({
    time_ms,
    device: "pads",
    text: "note",
    sequence,
  })),
  old: [firing(0, 0, "same"), firing(100, 1, "vanishes")],
  new: [firing(0, 0, "same"), firing(60_500, 2, "appears"), firing(61_000, null, "appears")],
  left_out: 0,
};

describe("words", () => {
  it("says who asked, as well as it is known", () => {
    expect(requesterName(PLAN.requested_by)).toBe("claude");
    expect(
      requesterName({
        caller: "bare",
        client: null,
        pid: 1,
        executable: "/usr/bin/agent",
        conversation_id: null,
        program: null,
        scopes: null,
      }),
    ).toBe("agent");
    expect(
      requesterName({
        caller: "cli",
        client: null,
        pid: 1,
        executable: "/usr/bin/python3",
        conversation_id: null,
        program: null,
        scopes: null,
      }),
    ).toBe("The command line");
  });
  it("names the user for what the user asked in the chat, the window and a browser", () => {
    const by = (caller: "window" | "page" | "chat", client: string): string =>
      requesterName({ ...PLAN.requested_by, caller, client });
    expect(by("chat", "slash command")).toBe("You, in the chat");
    expect(by("page", "page 1, in a browser")).toBe("You, in a browser");
    expect(by("window", "Conductor")).toBe("You, in the window");
    expect(by("chat", "openai/gpt")).toBe("openai/gpt");
  });
  it.each([
    ["rejected by the user", "You discarded this plan."],
    ["rejected by the user: not now", "You discarded this plan. Reason: not now"],
    ["rejected by page 1, in a browser (page, process 27796)", "You discarded this plan."],
    ["rejected by obs (mcp, process 42): no", "obs discarded this plan. Reason: no"],
    ["rejected by claude (code)", "claude (code) discarded this plan."],
    [null, "You discarded this plan."],
  ])("says who discarded a plan that was %s", (reason, text) => {
    expect(planAdvice(plan({ status: "rejected", reason }))).toBe(text);
  });
  it("marks what can do more than change the config", () => {
    expect(planRisk(plan({ privileged: true })).level).toBe("privileged");
    expect(
      planRisk(
        plan({
          overlaps: [
            {
              kind: "duplicate",
              severity: "error",
              message: "",
              places: [],
              is_new: true,
              gesture: null,
              tap_wait: null,
              control_names: [],
            },
          ],
        }),
      ).label,
    ).toBe("1 conflict");
    const found = (severity: "error" | "warning"): ConfigPlan["overlaps"][number] => ({
      kind: "unreachable_mode",
      severity,
      message: "",
      places: [],
      is_new: true,
      gesture: null,
      tap_wait: null,
      control_names: [],
    });
    const label = (over: Partial<ConfigPlan>): string => planRisk(plan(over)).label;
    expect(label({ overlaps: [found("warning")] })).toBe("1 warning");
    expect(
      label({ overlaps: [found("error"), found("warning")], warnings: ["It opens a link"] }),
    ).toBe("1 conflict, 2 warnings");
    expect(planRisk(plan({})).level).toBe("plain");
    expect(applyLabel(plan({}))).toBe("Apply");
    const broken = plan({
      broken_examples: [
        { passed: false, fired: [], problem: "nothing fired" },
      ] as unknown as ConfigPlan["broken_examples"],
    });
    expect([planRisk(broken).label, applyLabel(broken)]).toEqual([
      "Breaks 1 example",
      "Apply and break 1 example",
    ]);
  });
  it("says who proposed what was applied, and how much of it", () => {
    const left_out = [{ change_type: "CreateMode", mode: null, description: "Add mode DJ" }];
    expect(planAdvice(plan({ status: "applied" }))).toBe("Proposed by claude, applied by you.");
    const part = plan({ status: "applied", left_out, changes: left_out });
    expect(planAdvice(part)).toBe("Proposed by claude. You applied 1 of 2 changes.");
    expect(statusBadge(part)[0]).toBe("Applied in part");
  });
  it("says what to do about what expired or is out of date", () => {
    expect(planAdvice(plan({ status: "expired" }))).toContain("Ask claude to propose it again");
    expect(planAdvice(plan({ status: "stale" }))).toContain("config has changed");
    expect(planAdvice(plan({}))).toBeNull();
  });
  it("puts what waits first", () => {
    const order = sortPlans([
      plan({ plan_id: "new", status: "applied", created_at: "2026-12-01T00:00:00Z" }),
      plan({ plan_id: "old" }),
    ]);
    expect(order.map((one) => one.plan_id)).toEqual(["old", "new"]);
  });
});

describe("the lanes", () => {
  it("cuts long silences, and can be read backwards", () => {
    const scale = createScale([0, 100, 60_000, 61_000], 1_000);
    expect(scale.at(100)).toBeCloseTo(100 / 2_100);
    expect(scale.cuts).toHaveLength(1);
    for (const time of [0, 40, 100, 30_000, 60_500, 61_000])
      expect(scale.time(scale.at(time))).toBeCloseTo(time, 5);
  });
  it("has ticks at round times that are apart, also after a silence", () => {
    const ticks = (times: number[], gap: number): string[] =>
      listRoundTimes(createScale(times), gap).map(formatRoundTime);
    expect(ticks([0, 1_400, 2_800, 4_150], 0.2)).toEqual(["0 s", "1 s", "2 s", "3 s", "4 s"]);
    expect(ticks([0, 15], 0.15)).toEqual(["0 s", "5 ms", "10 ms", "15 ms"]);
    expect(ticks([0, 700, 61_000, 61_900], 0.2)).toEqual(["0 s", "61 s"]);
    expect(ticks([0], 0.2)).toEqual(["0 s"]);
  });
  it("joins what was played with what answers it", () => {
    const moments = groupMoments(TIMELINE);
    expect(
      moments.map((one) => [one.time_ms, one.old.length, one.new.length, one.changes]),
    ).toEqual([
      [0, 1, 1, false],
      [100, 1, 0, true],
      [60_000, 0, 1, true],
      [61_000, 0, 1, true],
    ]);
    expect(nearestMoment(moments, 59_000)).toBe(2);
    expect(nextMoment(moments, 0, 1, true)).toBe(1);
    expect(nextMoment(moments, 3, 1, false)).toBe(3);
  });
});

describe("the view", () => {
  async function open(one: ConfigPlan, over: Handlers = {}) {
    const change = {
      change_type: "CreateMapping",
      mode: "Default",
      mapping: CONFIG.config.modes[0]!.mappings![0]!,
    };
    const transport = fakeConductor({
      "plans.list": () => ({ plans: [one] }),
      "plans.get": () => ({
        plan: one,
        before_after: [],
        timeline: TIMELINE,
        changes: [change],
        rows_by_change: [],
        standing: null,
        way: null,
      }),
      "plans.apply": () => ({ ...one, status: "applied" }),
      "plans.reject": () => ({ ...one, status: "rejected", reason: "rejected by you" }),
      ...over,
    });
    const client = new Client(transport);
    const state = createState(client);
    state.ui.view = "plans";
    client.start();
    render(App, { state });
    await screen.findByRole("heading", { level: 2, name: planTitle(one) });
    return { state, transport };
  }
  it("applies, and offers to undo while nothing else changed", async () => {
    const { transport } = await open(plan({}));
    await fireEvent.click(screen.getByRole("button", { name: /^Apply/ }));
    await waitFor(() =>
      expect(screen.getAllByRole("button", { name: "Undo" }).length).toBeGreaterThan(0),
    );
    expect(transport.called("plans.apply")).toEqual([
      { plan_id: PLAN.plan_id, base_hash: CONFIG.hash },
    ]);
  });
  it("shows an age that goes on while it is shown", async () => {
    vi.useFakeTimers({ toFake: ["Date", "setInterval", "clearInterval"] });
    try {
      const one = plan({ created_at: new Date().toISOString() });
      render(PlanItem, { plan: one, standing: null, selected: false, onExpired: () => undefined });
      expect(screen.getByText(/just now/)).toBeTruthy();
      vi.advanceTimersByTime(95_000);
      await tick();
      expect(screen.getByText(/1 min ago/)).toBeTruthy();
    } finally {
      vi.useRealTimers();
    }
  });
  it("applies at Ctrl+Enter wherever the focus is, but not in a long text", async () => {
    const { transport } = await open(plan({}));
    const text = document.body.appendChild(document.createElement("textarea"));
    await fireEvent.keyDown(text, { key: "Enter", ctrlKey: true });
    text.remove();
    expect(transport.called("plans.apply")).toEqual([]);
    // A click on a plan moves the focus to the list, which has no other use for the shortcut.
    await fireEvent.click(screen.getByRole("option"));
    await fireEvent.keyDown(screen.getByRole("listbox"), { key: "Enter", ctrlKey: true });
    await waitFor(() => expect(transport.called("plans.apply")).toHaveLength(1));
  });
  it("asks the assistant again for a plan of the chat that is out of date", async () => {
    const requested_by = { ...PLAN.requested_by, caller: "chat" as const, client: "x/model" };
    const { state, transport } = await open(plan({ status: "stale", requested_by }));
    await fireEvent.click(screen.getByRole("button", { name: "Ask again" }));
    await waitFor(() => expect(transport.called("chat.send")).toHaveLength(1));
    expect(state.ui.view).toBe("chat");
  });
  it("discards with Delete in the list", async () => {
    const { transport } = await open(plan({}));
    await fireEvent.click(screen.getByRole("option"));
    await fireEvent.keyDown(screen.getByRole("listbox", { name: "Plans" }), { key: "Delete" });
    await waitFor(() =>
      expect(transport.called("plans.reject")).toEqual([{ plan_id: PLAN.plan_id, reason: "" }]),
    );
  });
  it("applies and names only the rows that were kept", async () => {
    const rows = ["Map note 1", "Map note 2"].map((description) => ({
      ...PLAN.changes[0]!,
      description,
    }));
    const both = plan({ description: "Map note 1; Map note 2", changes: rows });
    const changes = [1, 2].map(() => ({ change_type: "CreateMode", name: "DJ" }));
    const { state, transport } = await open(both, {
      "plans.get": () => ({ ...VIEW, plan: both, changes }),
      "plans.apply_part": () => ({
        ...both,
        status: "applied",
        description: "Map note 1",
        changes: [rows[0]],
        left_out: [rows[1]],
      }),
    });
    await fireEvent.click(await screen.findByRole("checkbox", { name: "Map note 2" }));
    await fireEvent.click(await screen.findByRole("button", { name: /^Apply 1 of 2 changes/ }));
    await waitFor(() =>
      expect(state.ui.toasts.map((toast) => toast.text)).toEqual(["Applied in part: Map note 1"]),
    );
    expect(transport.called("plans.apply_part")).toEqual([
      { plan_id: PLAN.plan_id, selected: [0], base_hash: CONFIG.hash },
    ]);
    expect(transport.called("config.commit")).toEqual([]);
    expect(transport.called("plans.reject")).toEqual([]);
  });
  it("opens the editor with a changed mapping, and is closed once that is saved", async () => {
    const action = { type: "Text", text: "from the plan" };
    const trigger = { type: "Note", note: 41 };
    const change = {
      ...{ change_type: "UpdateMapping", mode: "Default", index: 0 },
      ...{ trigger, action, description: "" },
    };
    const { state, transport } = await open(plan({}), {
      "plans.get": () => ({ ...VIEW, plan: plan({}), changes: [change] }),
      "config.describe": () => ({ ...ROWS[0]!, trigger: "Note 41" }),
    });
    await fireEvent.click(screen.getByRole("button", { name: "Edit" }));
    expect(await screen.findByDisplayValue("from the plan")).toBeTruthy();
    expect(state.ui.view).toBe("mappings");
    const inspector = screen.getByRole("complementary", { name: "Inspector" });
    await waitFor(() => expect(inspector.contains(document.activeElement)).toBe(true));
    // The key works wherever the focus is, as the button says.
    const content = document.getElementById("content")!;
    await fireEvent.keyDown(content, { key: "Enter", ctrlKey: true });
    await waitFor(() =>
      expect(transport.called("plans.mark_edited")).toMatchObject([{ plan_id: PLAN.plan_id }]),
    );
    expect(transport.called("config.commit")).toMatchObject([
      {
        changes: [{ change_type: "UpdateMapping", index: 0, trigger, action }],
        reason: expect.stringMatching(/^Changed Note .+ into Note 41 -> .+/) as string,
      },
    ]);
  });
  it("offers no edit of what has no editor", async () => {
    const change = { change_type: "CreateMode", name: "Live" };
    await open(plan({}), {
      "plans.get": () => ({ ...VIEW, plan: plan({}), changes: [change] }),
    });
    expect(screen.getByRole("button", { name: /^Apply/ })).toBeTruthy();
    expect(screen.queryByRole("button", { name: "Edit" })).toBeNull();
  });
  it("opens the editor with the new mapping of a plan", async () => {
    const { state } = await open(plan({}));
    await fireEvent.click(screen.getByRole("button", { name: "Edit" }));
    await waitFor(() => expect(state.ui.view).toBe("mappings"));
    expect(await screen.findByRole("button", { name: /Add mapping/ })).toBeTruthy();
  });
  it("is announced once with the others that a change of the config made out of date", async () => {
    const many = ["a", "b"].map((plan_id) => plan({ plan_id }));
    let plans = many;
    const { state, transport } = await open(plan({}), { "plans.list": () => ({ plans }) });
    state.ui.navigate("monitor");
    state.ui.toast("Duplicated Pad 1", { group: "change" });
    plans = many.map((one) => ({ ...one, status: "stale" }));
    for (const one of plans) transport.push(["plan", one]);
    await waitFor(() =>
      expect(state.ui.toasts.map((toast) => toast.text)).toEqual([
        "2 plans are out of date",
        // What the user has just done, with its Undo, stays on top.
        "Duplicated Pad 1",
      ]),
    );
    state.ui.toasts[0]!.action!.run();
    expect(state.ui.view).toBe("plans");
  });
  it("is not announced as out of date because the user saves it in edited form", async () => {
    const one = plan({});
    let plans = [one];
    const { state, transport } = await open(one, { "plans.list": () => ({ plans }) });
    state.plans.edited.add(one.plan_id);
    plans = [{ ...one, status: "stale" }];
    transport.push(["plan", plans[0]!]);
    await waitFor(() => expect(state.plans.pending).toEqual([]));
    expect(state.ui.toasts).toEqual([]);
  });
  it("is called by its first change", () => {
    const named = "Double tap Pad 1 -> Ctrl+Z, in mode Play";
    const short = "Double tap Pad 1 → Ctrl+Z, in mode Play";
    expect(planTitle(plan({ description: named, changes: [] }))).toBe(short);
    expect(planTitle(plan({ description: "Set ui.theme to dark", changes: [] }))).toBe(
      "Theme: Dark",
    );
    const rows = [named, "Delete mode B", "Delete mode C"].map((description) => ({
      ...PLAN.changes[0]!,
      description,
    }));
    expect(planTitle(plan({ description: "", changes: rows }))).toBe(
      `${short}, and 2 more changes`,
    );
  });
  it.each([
    ["was overtaken by the config", { base_state_hash: "e".repeat(64) }],
    ["is out of date", { status: "stale" }],
    ["has expired", { status: "expired" }],
    ["was discarded", { status: "rejected", reason: "rejected by the user" }],
  ] as const)("applies the changes of one that %s, which is then applied", async (_, over) => {
    const one = plan(over);
    const applied = plan({ status: "applied" });
    const { state, transport } = await open(one, { "plans.apply_part": () => applied });
    await fireEvent.click(screen.getByRole("button", { name: "Use these changes" }));
    await screen.findByRole("dialog", { name: "Use these changes" });
    await fireEvent.click(await screen.findByRole("button", { name: /^Apply changes/ }));
    expect(await screen.findByText("Proposed by claude, applied by you.")).toBeTruthy();
    expect(transport.called("plans.apply_part")).toEqual([
      { plan_id: PLAN.plan_id, selected: [0], base_hash: CONFIG.hash },
    ]);
    expect(transport.called("config.commit")).toEqual([]);
    await waitFor(() =>
      expect(state.ui.toasts.map((toast) => toast.text)).toEqual([
        `Applied: ${planTitle(applied)}`,
      ]),
    );
  });
  it("applies the selected changes at Ctrl+Enter in the dialog", async () => {
    const { transport } = await open(plan({ status: "stale" }), {
      "plans.apply_part": () => plan({ status: "applied" }),
    });
    await fireEvent.click(screen.getByRole("button", { name: "Use these changes" }));
    const dialog = await screen.findByRole("dialog", { name: "Use these changes" });
    const box = dialog.querySelector("input")!;
    await fireEvent.click(box);
    await fireEvent.keyDown(box, { key: "Enter", ctrlKey: true });
    expect(transport.called("plans.apply_part")).toEqual([]);
    await fireEvent.click(box);
    await fireEvent.keyDown(box, { key: "Enter", ctrlKey: true });
    await waitFor(() => expect(transport.called("plans.apply_part")).toHaveLength(1));
  });
  it("warns in the dialog as in the plan, also of what this computer lacks", async () => {
    const { transport } = await open(plan({ status: "stale" }));
    await fireEvent.click(screen.getByRole("button", { name: "Use these changes" }));
    await waitFor(() =>
      expect(transport.called("config.preview")).toMatchObject([{ finds_missing: true }]),
    );
  });
  it("is closed as edited once a mapping of it was added in the editor", async () => {
    const reason = "rejected by the user: edited by the user";
    const closed = plan({ status: "rejected", reason, result_hash: CONFIG.hash });
    const { state, transport } = await open(plan({ status: "stale" }), {
      "plans.mark_edited": () => closed,
    });
    await fireEvent.click(screen.getByRole("button", { name: "Use these changes" }));
    await fireEvent.click(await screen.findByRole("button", { name: "Open in the editor" }));
    await fireEvent.click(await screen.findByRole("radio", { name: "Replace it" }));
    await fireEvent.click(await screen.findByRole("button", { name: /Replace mapping/ }));
    await waitFor(() =>
      expect(transport.called("plans.mark_edited")).toEqual([
        { plan_id: PLAN.plan_id, result_hash: CONFIG.hash },
      ]),
    );
    expect(transport.called("plans.reject")).toEqual([]);
    expect(state.ui.view).toBe("mappings");
    expect(planAdvice(closed)).toBe("You applied its changes as your own edit.");
    const part = plan({
      ...closed,
      reason: "rejected by the user: 1 of 2 changes edited by the user",
    });
    expect(planAdvice(part)).toBe("You applied 1 of 2 changes as your own edit.");
  });
  it("says of one that was undone that it is, and makes it again", async () => {
    const one = plan({ status: "applied" });
    const { transport } = await open(one, {
      "plans.get": () => ({
        plan: one,
        before_after: [],
        timeline: null,
        changes: [],
        standing: "undone",
        way: "redo",
      }),
    });
    expect(screen.getByText("Undone")).toBeTruthy();
    await fireEvent.click(screen.getByRole("button", { name: "Redo" }));
    expect(transport.called("config.redo")).toHaveLength(1);
  });
  it("is listed as undone, and found by that word", async () => {
    const one = plan({ status: "applied" });
    await open(one, { "plans.undone": () => ({ plan_ids: [one.plan_id] }) });
    const row = screen.getByRole("option");
    await waitFor(() => expect(row.textContent).toContain("Undone"));
    expect(row.textContent).not.toContain("Applied");
    expect(matchesSearch(one, "undone", "undone")).toBe(true);
  });
  it("cannot be applied when the config moved on, and says so", async () => {
    await open(plan({ base_state_hash: "f".repeat(64) }));
    expect(screen.getByRole("button", { name: /^Apply/ })).toHaveProperty("disabled", true);
    expect(screen.getByText(/The config has changed since this plan was proposed/)).toBeTruthy();
  });
  it("has nothing to apply in one that expired, but its changes can be used", async () => {
    await open(plan({ status: "expired" }));
    expect(screen.queryByRole("button", { name: /^Apply/ })).toBeNull();
    expect(screen.getByRole("button", { name: "Use these changes" })).toBeTruthy();
  });
  it.each([
    ["can be used when the user discarded it", null, 1],
    ["cannot be used again when they were applied in edited form", "f".repeat(64), 0],
  ])("has changes that %s", async (_, result_hash, count) => {
    await open(plan({ status: "rejected", reason: "rejected by the user", result_hash }));
    expect(screen.queryAllByRole("button", { name: "Use these changes" })).toHaveLength(count);
  });
  it("scrubs by keyboard from change to change", async () => {
    await open(plan({}));
    const slider = screen.getByRole("slider");
    await fireEvent.keyDown(slider, { key: "Home" });
    await fireEvent.keyDown(slider, { key: "ArrowRight", shiftKey: true });
    expect(slider.getAttribute("aria-valuetext")).toContain("x (no longer fires)");
  });
  it("announces a plan in another view, and takes that back when it is decided", async () => {
    const { state, transport } = await open(plan({}));
    state.ui.navigate("monitor");
    transport.push(["plan", plan({ plan_id: "other", description: "Another" })]);
    expect(state.ui.toasts.map((toast) => toast.text)).toEqual(["claude proposes: Another"]);
    transport.push(["plan", plan({ plan_id: "other", description: "Another", status: "expired" })]);
    expect(state.ui.toasts).toEqual([]);
  });
});
