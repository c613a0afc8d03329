/** The chat in use: the composer with its menus, messages with their cards, and the history. */
import { cleanup, fireEvent, render, screen, waitFor, within } from "@testing-library/svelte";
import userEvent from "@testing-library/user-event";
import { flushSync } from "svelte";
import { describe, expect, it } from "vitest";
import {
  queryAtCaret,
  insertChoice,
  partsToSend,
  splitAtMentions,
  mentionForEvent,
} from "../src/features/chat/compose";
import { formatDollars, formatTokens } from "../src/lib/amounts";
import { Client } from "$lib/client/client";
import type { ChatMessage, ConfigPlan } from "$lib/client/types";
import { language } from "$language/language.svelte";
import { createState, type State } from "$lib/state/state";
import type { FakeTransport, Handlers } from "$lib/transport/fake";
import App from "../src/App.svelte";
import "./load-views";
import { CONFIG, PLAN, chatView, fakeConductor, message, run, text, trace } from "./sample";

const MODE = {
  type: "mention" as const,
  kind: "mode" as const,
  label: "Stream",
  detail: "the mode `Stream`",
};

describe("what is asked for at the caret", () => {
  it.each([
    ["@pa", 3, "mention", "pa"],
    ["make @", 6, "mention", ""],
    ["/ma", 3, "command", "ma"],
    ["/", 1, "command", ""],
  ])("%j", (words, caret, kind, query) =>
    expect(queryAtCaret(words, caret)).toMatchObject({ kind, query }),
  );
  it.each(["a@b", "/map pad", "say /map", "mail me@home now", ""])("nothing in %j", (words) =>
    expect(queryAtCaret(words, words.length)).toBeNull(),
  );
  it("is filled in, with a space after it", () => {
    expect(insertChoice("go @st now", { from: 3, to: 6 }, "@Stream")).toEqual([
      "go @Stream now",
      11,
    ]);
    expect(insertChoice("@", { from: 0, to: 1 }, "@Stream")).toEqual(["@Stream ", 8]);
  });
  it("sends the mentions that still stand in the text, and a command as plain words", () => {
    expect(partsToSend("go to @Stream", [MODE])).toEqual([
      { type: "text", text: "go to @Stream" },
      MODE,
    ]);
    expect(partsToSend("go", [MODE])).toEqual([{ type: "text", text: "go" }]);
    expect(partsToSend("/switch @Stream", [MODE])).toEqual([
      { type: "text", text: "/switch Stream" },
    ]);
    expect(partsToSend("  ", [])).toEqual([]);
  });
  it("shows a mention as one thing", () => {
    expect(
      splitAtMentions("to @Stream!", [MODE]).map((one) => [one.text, one.mention !== null]),
    ).toEqual([
      ["to ", false],
      ["@Stream", true],
      ["!", false],
    ]);
  });
  it("names a touched control and where it is", () => {
    expect(mentionForEvent(trace(1).event)).toMatchObject({
      kind: "control",
      label: "note 36",
      detail: 'note 36 on channel 10 of the device "pads"',
    });
  });
  it("says tokens and money plainly", () => {
    expect([950, 1_234, 45_678, 1_200_000].map(formatTokens)).toEqual([
      "950",
      "1.2 k",
      "46 k",
      "1.2 M",
    ]);
    expect([0, 0.0001, 0.0123, 1.5].map(formatDollars)).toEqual([
      "$0.00",
      "under $0.001",
      "$0.012",
      "$1.50",
    ]);
  });
});

async function open(
  over: Handlers = {},
  conversation: string | null = "c1",
): Promise<{ state: State; transport: FakeTransport; field: HTMLTextAreaElement }> {
  sessionStorage.clear(); // it keeps which conversation is open
  const transport = fakeConductor(over);
  const client = new Client(transport);
  const state = createState(client);
  state.ui.view = "chat";
  client.start();
  render(App, { state });
  if (conversation) {
    void state.chat.open(conversation);
    await screen.findByRole("region", { name: "Conversation" });
  }
  return { state, transport, field: screen.getByRole("textbox", { name: "Message" }) };
}
const answered = (over: Partial<ChatMessage>): Handlers => ({
  "chat.open": () =>
    chatView(
      message("m1", { parts: [text("Copy with pad 36")] }),
      message("m2", { role: "assistant", parent_id: "m1", ...over }),
    ),
});

describe("the composer", () => {
  it("sends with Enter and breaks the line with Shift+Enter", async () => {
    const { transport, field } = await open();
    await userEvent.type(field, "one{Shift>}{Enter}{/Shift}two{Enter}");
    await waitFor(() =>
      expect(transport.called("chat.send")).toEqual([
        { conversation_id: "c1", parts: [{ type: "text", text: "one\ntwo" }] },
      ]),
    );
    await waitFor(() => expect(field.value).toBe(""));
  });
  it("offers what can be pointed at, and puts it in", async () => {
    const { transport, field } = await open();
    await userEvent.type(field, "go to @St");
    const menu = await screen.findByRole("listbox", { name: "Mentions" });
    await within(menu).findByRole("option", { name: /Stream/ });
    await userEvent.keyboard("{Enter}{Enter}");
    await waitFor(() =>
      expect(transport.called("chat.send")[0]).toMatchObject({
        parts: [{ text: "go to @Stream" }, MODE],
      }),
    );
  });
  it("offers a device that has no alias, and names a plan by what it is for", async () => {
    const device = {
      device_id: "New Pads",
      port_name: "New Pads",
      kind: "midi_input",
      connected: true,
      enabled: true,
      is_configured: false,
      problem: null,
    };
    const plan = {
      type: "mention",
      kind: "plan",
      label: "Two pads",
      detail: "plan 1b4e28ba-2fa1-11d2, applied: Two pads",
    };
    const { field } = await open({
      "chat.mentions": () => ({ mentions: [plan] }),
      "devices.list": () => ({ devices: [device], aliases: [], outputs: [] }),
    });
    await userEvent.type(field, "@");
    expect((await screen.findByRole("option", { name: /New Pads/ })).textContent).toContain(
      "which has no alias",
    );
    expect((await screen.findByRole("option", { name: /Two pads/ })).textContent).toContain(
      "plan, applied",
    );
    expect(screen.queryByText(/1b4e28ba/)).toBeNull();
  });
  it("lists commands with an example, and fills one in", async () => {
    const { field } = await open();
    await userEvent.type(field, "/m");
    expect(await screen.findByText(/ · for example: \/map pad 36/)).toBeTruthy();
    await userEvent.keyboard("{Tab}");
    expect(field.value).toBe("/map ");
  });
  it("sends a whole command with Enter", async () => {
    const { transport, field } = await open();
    await waitFor(() => expect(transport.called("chat.commands")).toHaveLength(1));
    await userEvent.type(field, "/undo{Enter}");
    await waitFor(() =>
      expect(transport.called("chat.send")).toMatchObject([{ parts: [{ text: "/undo" }] }]),
    );
  });
  it("asks for a touch only once it would see one", async () => {
    let begin: () => void = () => {};
    const { field } = await open({
      "monitor.watch": () => new Promise((resolve) => (begin = () => resolve({}))),
    });
    await userEvent.type(field, "use @");
    await userEvent.click(await screen.findByRole("option", { name: /Touch a control/ }));
    await screen.findByText("Starting to listen…");
    expect(screen.queryByText(/Press, hold or turn/)).toBeNull();
    begin();
    await screen.findByText(/Press, hold or turn/);
  });
  it("points at the control that is touched next", async () => {
    const { transport, field } = await open();
    await userEvent.type(field, "use @");
    await userEvent.click(await screen.findByRole("option", { name: /Touch a control/ }));
    await screen.findByText(/Press, hold or turn/);
    transport.push(["trace", trace(1)]);
    await waitFor(() => expect(field.value).toBe("use @note 36 "));
  });
  it("stops with Escape while an answer comes, and queues what is said meanwhile", async () => {
    const { transport, field } = await open();
    transport.push(["chat", run({ running: true, activity: "writing", queued: ["later"] })]);
    await userEvent.type(field, "more");
    await userEvent.click(screen.getByRole("button", { name: "Queue message" }));
    await userEvent.click(screen.getByRole("button", { name: "Remove from queue: later" }));
    await fireEvent.keyDown(field, { key: "Escape" });
    expect(transport.called("chat.send")).toHaveLength(1);
    expect(transport.called("chat.unqueue")).toEqual([{ conversation_id: "c1", index: 0 }]);
    await waitFor(() => expect(transport.called("chat.stop")).toHaveLength(1));
    expect(screen.getByRole("button", { name: "Stop immediately" })).toBeTruthy();
  });
  it("edits what was said last with the arrow up", async () => {
    const { transport, field } = await open();
    await fireEvent.keyDown(field, { key: "ArrowUp" });
    const edit = await screen.findByRole("textbox", { name: "Edit message" });
    await userEvent.type(edit, " please{Enter}");
    await waitFor(() =>
      expect(transport.called("chat.edit")).toEqual([
        { message_id: "m1", parts: [{ type: "text", text: "Copy with pad 36 please" }] },
      ]),
    );
  });
  it("attaches what is pasted, and takes it off again", async () => {
    const { transport, field } = await open();
    const file = new File(["x"], "notes.txt");
    await fireEvent.paste(field, { clipboardData: { files: [file] } });
    await userEvent.click(await screen.findByRole("button", { name: "Remove notes.txt" }));
    expect(transport.called("chat.attach")).toEqual([{ name: "notes.txt", content: "eA==" }]);
    expect(screen.queryByText("notes.txt")).toBeNull();
  });
  it("keeps what was written when it could not be sent", async () => {
    const { field } = await open({ "chat.send": () => Promise.reject(new Error("no")) });
    await userEvent.type(field, "hello{Enter}");
    await waitFor(() => expect(field.value).toBe("hello"));
  });
  it("sends what is written while the message before is still being sent, into the same conversation", async () => {
    const answers: (() => void)[] = [];
    const { transport, field } = await open(
      {
        "chat.send": () =>
          new Promise((resolve) => {
            answers.push(() =>
              resolve({
                conversation_id: "c1",
                user_message_id: null,
                message_id: null,
                queued: true,
              }),
            );
          }),
      },
      null,
    );
    await userEvent.type(field, "first{Enter}");
    await userEvent.type(field, "second{Enter}third");
    await waitFor(() => expect(answers).toHaveLength(1));
    answers[0]!();
    await waitFor(() => expect(answers).toHaveLength(2));
    answers[1]!();
    expect(transport.called("chat.send")).toMatchObject([
      { conversation_id: null, parts: [{ text: "first" }] },
      { conversation_id: "c1", parts: [{ text: "second" }] },
    ]);
    await waitFor(() => expect(field.value).toBe("third"));
  });
  it("puts a message that could not be sent before what was written meanwhile", async () => {
    let fail: (error: Error) => void = () => {};
    const { field } = await open({
      "chat.send": () => new Promise((_, reject) => (fail = reject)),
    });
    await userEvent.type(field, "hello{Enter}");
    await userEvent.type(field, "there");
    fail(new Error("no"));
    await waitFor(() => expect(field.value).toBe("hello\nthere"));
  });
  it("takes the keyboard from anywhere with Ctrl+L", async () => {
    const { state } = await open({}, null);
    state.ui.navigate("monitor");
    await fireEvent.keyDown(document.body, { key: "l", ctrlKey: true });
    await waitFor(() =>
      expect(document.activeElement).toBe(screen.getByRole("textbox", { name: "Message" })),
    );
  });
});

describe("the model", () => {
  it("shown is the one that a new conversation uses, and it is remembered", async () => {
    const { state, transport, field } = await open(
      {
        "providers.models": () => ({
          models: [
            {
              model: "gpt-big",
              label: "Big",
              capabilities: {
                tools: true,
                streaming: true,
                images: false,
                thinking: false,
                temperature: true,
                context_tokens: 200_000,
                output_tokens: 8_192,
                known_from: "live",
              },
              input_usd_per_mtok: 1,
              output_usd_per_mtok: 5,
              retires_at: null,
            },
          ],
        }),
      },
      null,
    );
    await userEvent.click(await screen.findByRole("button", { name: "Model: gpt-sim" }));
    await userEvent.click(
      await screen.findByRole("option", { name: /Big.*200 k · \$1.00 in, \$5.00 out/ }),
    );
    await userEvent.type(field, "hi{Enter}");
    await waitFor(() =>
      expect(transport.called("chat.send")).toMatchObject([{ provider: "sim", model: "gpt-big" }]),
    );
    expect(state.ui.pref("chat_model", {})).toMatchObject({ provider: "sim", model: "gpt-big" });
  });
  it("that is remembered gives way to another default", async () => {
    const chosen = { provider: "sim", model: "gpt-big" };
    const { state } = await open({}, null);
    state.ui.setPref("chat_model", {
      ...chosen,
      instead_of: { provider: "sim", model: "gpt-sim" },
    });
    await waitFor(() => expect(state.chat.defaultModel).toEqual(chosen));
    state.ui.setPref("chat_model", {
      ...chosen,
      instead_of: { provider: "old", model: "gpt-old" },
    });
    await waitFor(() =>
      expect(state.chat.defaultModel).toEqual({ provider: "sim", model: "gpt-sim" }),
    );
  });
  it("that is usual is sent along too", async () => {
    const { state, transport, field } = await open({}, null);
    await waitFor(() =>
      expect(state.chat.defaultModel).toEqual({ provider: "sim", model: "gpt-sim" }),
    );
    await userEvent.type(field, "hi{Enter}");
    await waitFor(() =>
      expect(transport.called("chat.send")).toMatchObject([{ provider: "sim", model: "gpt-sim" }]),
    );
  });
});

describe("without a model", () => {
  it("says what works as it is, and where a model is set up", async () => {
    const { state } = await open(
      {
        "providers.list": () => ({
          providers: [],
          order: [],
          keys: { place: "environment", locked: false, words: "" },
        }),
      },
      null,
    );
    await userEvent.click(await screen.findByRole("button", { name: "/map pad 1 to cmd+c" }));
    expect(state.chat.draft.text).toBe("/map pad 1 to cmd+c");
    await userEvent.click(screen.getByRole("button", { name: "Open Settings > Providers" }));
    expect(state.ui.view).toBe("settings");
  });
});

describe("an answer", () => {
  it("that failed says what to do next", async () => {
    const { transport } = await open(
      answered({
        state: "failed",
        failure: {
          kind: "rate_limit",
          message: "Too many requests. Wait a minute.",
          retry_after_s: null,
        },
      }),
    );
    expect(await screen.findByText("Too many requests. Wait a minute.")).toBeTruthy();
    await userEvent.click(screen.getByRole("button", { name: "Try again" }));
    expect(transport.called("chat.regenerate")).toEqual([
      { message_id: "m2", provider: null, model: null },
    ]);
  });
  it("that failed is announced in the language of the page", async () => {
    const message = "the engine does not answer; it is being restarted, try again";
    const failure = { kind: "internal", message, retry_after_s: null } as const;
    const { transport } = await open(answered({ state: "failed", failure }));
    await language.choose("de");
    transport.push(["chat", run({ running: true, activity: "writing" })]);
    flushSync();
    transport.push(["chat", run()]);
    flushSync();
    const german = "Die Engine antwortet nicht; sie wird neu gestartet, bitte erneut versuchen";
    expect(screen.getAllByRole("status").map((one) => one.textContent)).toContain(german);
    await language.choose("en");
  });
  it("without a model is looked for in Knowledge by one click", async () => {
    const failure = {
      kind: "no_key",
      message: "No model is set up.",
      retry_after_s: null,
    } as const;
    const { state } = await open(answered({ state: "failed", failure }));
    await userEvent.click(await screen.findByRole("button", { name: "Search Knowledge" }));
    expect(state.ui.view).toBe("knowledge");
    expect(state.ui.paramsOf("knowledge")).toEqual({ kind: "search", query: "Copy with pad 36" });
  });
  it("offers another model only if there is one", async () => {
    const failure = { kind: "rate_limit", message: "Too many.", retry_after_s: null } as const;
    const failed = answered({ state: "failed", model: "gpt-5", failure });
    await open(failed);
    await screen.findByRole("button", { name: "Try again" });
    const offers = () => screen.queryAllByRole("button", { name: /another model$/ }).length;
    await waitFor(() => expect(offers()).toBe(2));
    cleanup();
    await open({ ...failed, "providers.list": () => ({ providers: [], order: [] }) });
    await screen.findByRole("button", { name: "Try again" });
    expect(offers()).toBe(0);
  });
  it("that used its steps asks whether to go on", async () => {
    const { transport } = await open(answered({ state: "paused" }));
    await userEvent.click(await screen.findByRole("button", { name: "Continue" }));
    expect(transport.called("chat.resume")).toEqual([{ message_id: "m2" }]);
  });
  it("shows a call with its arguments and result, and no button while it is written", async () => {
    const { transport } = await open(answered({ state: "streaming" }));
    const at = { conversation_id: "c1", message_id: "m2" };
    transport.push([
      "chat",
      {
        type: "call",
        ...at,
        index: 0,
        call_id: "a",
        tool: "conductor_get_mappings",
        text: '{"mode": "St',
        at: 0,
      },
    ]);
    expect(await screen.findByText('{"mode": "St')).toBeTruthy();
    expect(screen.queryByRole("button", { name: /List mappings/ })).toBeNull();
    transport.push(
      [
        "chat",
        {
          type: "part",
          ...at,
          index: 0,
          part: {
            type: "tool_call",
            call_id: "a",
            tool: "conductor_get_mappings",
            arguments: { mode: "Stream" },
            malformed: null,
            origin: null,
          },
        },
      ],
      [
        "chat",
        {
          type: "part",
          ...at,
          index: 1,
          part: {
            type: "tool_result",
            call_id: "a",
            tool: "conductor_get_mappings",
            ok: false,
            content: "there is no mode Stream",
            plan_id: null,
            code: null,
            duration_ms: 12,
          },
        },
      ],
    );
    await userEvent.click(await screen.findByRole("button", { name: /List mappings.*failed/ }));
    expect(screen.getByText("there is no mode Stream")).toBeTruthy();
  });
});

describe("a plan in the conversation", () => {
  const change = (note: number) => ({
    change_type: "CreateMapping" as const,
    mode: "Default",
    mapping: {
      trigger: { type: "Note" as const, note },
      action: { type: "Text" as const, text: "x" },
    },
  });
  const plan = (over: Partial<ConfigPlan> = {}): ConfigPlan => ({
    ...PLAN,
    expires_at: "2099-01-01T00:00:00Z",
    changes: [1, 2].map((note) => ({
      change_type: "CreateMapping",
      mode: "Default",
      description: `Note ${note}`,
    })),
    requested_by: {
      caller: "chat",
      client: "sim/gpt-sim",
      pid: null,
      executable: null,
      conversation_id: null,
      program: null,
      scopes: null,
    },
    ...over,
  });
  async function withPlan(one: ConfigPlan, over: Handlers = {}) {
    let now = one;
    const parts: ChatMessage["parts"] = [
      {
        type: "tool_call",
        call_id: "a",
        tool: "conductor_batch",
        arguments: {},
        malformed: null,
        origin: null,
      },
      {
        type: "tool_result",
        call_id: "a",
        tool: "conductor_batch",
        ok: true,
        content: '{"description": "Two pads"}',
        plan_id: one.plan_id,
        code: null,
        duration_ms: 3,
      },
    ];
    const made = await open({
      ...answered({ parts }),
      "plans.list": () => ({ plans: [one] }),
      "plans.get": () => ({
        plan: now,
        before_after: [],
        timeline: null,
        changes: [change(1), change(2)],
        rows_by_change: [],
        standing: now.status === "applied" ? "in_force" : null,
        way: now.status === "applied" ? "undo" : null,
      }),
      "plans.apply": () => (now = { ...one, status: "applied" }),
      "plans.apply_part": () =>
        (now = {
          ...one,
          status: "applied",
          description: "Map note 1",
          changes: [one.changes[0]!],
          left_out: [{ change_type: "CreateMapping", mode: null, description: "Map note 2" }],
        }),
      ...over,
    });
    return { ...made, card: await screen.findByRole("article", { name: /^Plan: / }) };
  }
  it("is applied as a whole, and can be undone there", async () => {
    const { transport, card } = await withPlan(plan());
    await userEvent.click(await within(card).findByRole("button", { name: "Apply" }));
    await userEvent.click(await within(card).findByRole("button", { name: "Undo" }));
    expect(transport.called("plans.apply")).toHaveLength(1);
    expect(transport.called("config.undo")).toHaveLength(1);
  });
  it("applied in part names only what was applied, and who proposed it", async () => {
    const { transport, card, state } = await withPlan(plan());
    await userEvent.click(await within(card).findByRole("checkbox", { name: "Note 2" }));
    await userEvent.click(await within(card).findByRole("button", { name: "Apply 1 of 2" }));
    expect(await within(card).findByRole("heading", { name: "Map note 1" })).toBeTruthy();
    expect(transport.called("plans.apply_part")).toEqual([
      { plan_id: PLAN.plan_id, selected: [0], base_hash: CONFIG.hash },
    ]);
    expect(transport.called("plans.reject")).toEqual([]);
    expect(state.ui.toasts.map((toast) => toast.text)).toEqual(["Applied in part: Map note 1"]);
    await userEvent.click(within(card).getByRole("button", { name: "Show changes" }));
    const leftOut = within(card).getByRole("list", { name: "Not applied" });
    expect(leftOut.querySelector("s")?.textContent).toBe("Map note 2");
    expect(card.textContent).toContain("Proposed by sim/gpt-sim. You applied 1 of 2 changes.");
  });
  it("that is out of date is asked for again", async () => {
    const { transport, card } = await withPlan(plan({ status: "stale" }));
    await userEvent.click(await within(card).findByRole("button", { name: "Ask again" }));
    expect(within(card).queryByRole("button", { name: "Apply" })).toBeNull();
    await waitFor(() => expect(transport.called("chat.send")).toHaveLength(1));
  });
  it("that a slash command proposed is proposed again by that command", async () => {
    const requested_by = { ...plan().requested_by, client: "slash command" };
    const { transport, card } = await withPlan(plan({ status: "stale", requested_by }));
    await userEvent.click(await within(card).findByRole("button", { name: "Ask again" }));
    await waitFor(() =>
      expect(transport.called("chat.send")).toMatchObject([
        { parts: [{ type: "text", text: "Copy with pad 36" }] },
      ]),
    );
  });
  it("that the config overtook cannot be applied", async () => {
    const { card } = await withPlan(plan({ base_state_hash: "f".repeat(64) }));
    expect(await within(card).findByRole("button", { name: "Apply" })).toHaveProperty(
      "disabled",
      true,
    );
    expect(
      within(card).getByText(/The config has changed since this plan was proposed/),
    ).toBeTruthy();
  });
});

describe("the history", () => {
  it("asks before it forgets a conversation", async () => {
    const { transport } = await open();
    const one = screen.getByRole("button", { name: "Copy on a pad" });
    await fireEvent.keyDown(one, { key: "Delete" });
    await userEvent.click(await screen.findByRole("button", { name: "Delete" }));
    await waitFor(() =>
      expect(transport.called("chat.delete")).toEqual([{ conversation_id: "c1" }]),
    );
  });
  it("renames with F2", async () => {
    const { transport } = await open();
    await fireEvent.keyDown(screen.getByRole("button", { name: "Copy on a pad" }), { key: "F2" });
    const field = await screen.findByRole("textbox", { name: "Conversation title" });
    await userEvent.clear(field);
    await userEvent.type(field, "Pads{Enter}");
    await waitFor(() =>
      expect(transport.called("chat.rename")).toEqual([{ conversation_id: "c1", title: "Pads" }]),
    );
  });
});
