/** The chat's state: the effects of events and of user commands. */
import { describe, expect, it, vi } from "vitest";
import { Client } from "$lib/client/client";
import type { ChatMessage } from "$lib/client/types";
import { textOf } from "$lib/state/chat/message-entry.svelte";
import { createState, type State } from "$lib/state/state";
import type { FakeTransport, Handlers } from "$lib/transport/fake";
import { PLAN, chatView, fakeConductor, message, run, text } from "./sample";

const ANSWER = message("m2", {
  role: "assistant",
  parent_id: "m1",
  state: "streaming",
  parts: [text("")],
});

async function start(over: Handlers = {}): Promise<{ state: State; transport: FakeTransport }> {
  const transport = fakeConductor(over);
  const client = new Client(transport);
  const state = createState(client);
  client.start();
  await state.chat.list.load();
  return { state, transport };
}
async function live(): Promise<{ state: State; transport: FakeTransport }> {
  const made = await start({
    "chat.open": () => chatView(message("m1", { parts: [text("hi")] }), ANSWER),
  });
  await made.state.chat.open("c1");
  return made;
}
const shown = ({ chat }: State): string[] => chat.current.entries.map((entry) => entry.id);
const last = ({ chat }: State): ChatMessage => chat.current.entries.at(-1)!.message;
const delta = (words: string, at: number | null, index = 0) =>
  [
    "chat",
    { type: "delta", conversation_id: "c1", message_id: "m2", index, text: words, at },
  ] as const;

describe("an answer that comes", () => {
  it("grows by pieces, and takes what it has already only once", async () => {
    const { state, transport } = await live();
    transport.push([...delta("Hel", 0)], [...delta("lo 😀", 3)]);
    transport.push([...delta("lo 😀!", 3)]);
    expect(textOf(last(state))).toBe("Hello 😀!");
    transport.push([...delta(" There", 8)]);
    expect(textOf(last(state))).toBe("Hello 😀! There");
  });
  it("is read again when a piece of it was lost", async () => {
    const { transport } = await live();
    transport.push([...delta("far away", 40)]);
    await vi.waitFor(() => expect(transport.called("chat.open")).toHaveLength(2));
  });
  it("shows a call while it is written, and then the call", async () => {
    const { state, transport } = await live();
    const call = {
      type: "call",
      conversation_id: "c1",
      message_id: "m2",
      index: 1,
      call_id: "a",
      tool: "conductor_get_config",
      text: '{"a',
      at: 0,
    };
    transport.push(["chat", call], ["chat", { ...call, text: '": 1, ', at: 3 }]);
    transport.push(["chat", { ...call, text: '": 1, "b', at: 3 }]);
    expect(state.chat.current.entries[1]!.partialArguments.get("a")).toBe('{"a": 1, "b');
    transport.push([
      "chat",
      {
        type: "part",
        conversation_id: "c1",
        message_id: "m2",
        index: 1,
        part: {
          type: "tool_call",
          call_id: "a",
          tool: "conductor_get_config",
          arguments: {},
          malformed: null,
          origin: null,
        },
      },
    ]);
    expect(state.chat.current.entries[1]!.partialArguments.size).toBe(0);
    expect(last(state).parts[1]?.type).toBe("tool_call");
  });
  it("takes in what overtook the reply that opened it, and what ended meanwhile", async () => {
    let answer: (view: unknown) => void = () => {};
    const opened = () => new Promise((resolve) => (answer = resolve));
    const { state, transport } = await start({ "chat.open": opened });
    const opening = state.chat.open("c1");
    await vi.waitFor(() => expect(transport.called("chat.open")).toHaveLength(1));
    const growing = { ...ANSWER, parts: [text("Hel")] };
    transport.push([...delta("l", 2)], [...delta("lo", 3)]);
    transport.push([...delta(" The", 5)]);
    answer({ ...chatView(message("m1"), growing), run: run({ running: true }) });
    await opening;
    transport.push([...delta("re", 9)]);
    expect(textOf(last(state))).toBe("Hello There");
    const again = state.chat.current.load();
    await vi.waitFor(() => expect(transport.called("chat.open")).toHaveLength(2));
    state.ui.navigate("monitor");
    transport.push(
      [
        "chat",
        {
          type: "message",
          message: { ...ANSWER, state: "complete", parts: [text("Hello There!")] },
        },
      ],
      ["chat", run()],
    );
    answer({ ...chatView(message("m1"), growing), run: run({ running: true }) });
    await again;
    expect([textOf(last(state)), last(state).state, state.chat.running]).toEqual([
      "Hello There!",
      "complete",
      false,
    ]);
    expect(state.ui.toasts).toHaveLength(1);
    expect(transport.called("chat.open")).toHaveLength(2);
  });
  it("appends text after a call, which keeps its place, also when read again", async () => {
    const { state, transport } = await live();
    const call = {
      type: "tool_call" as const,
      call_id: "a",
      tool: "conductor_get_config",
      arguments: {},
      malformed: null,
      origin: null,
    };
    const at = { conversation_id: "c1", message_id: "m2" };
    transport.push([
      "chat",
      { type: "call", ...at, index: 1, call_id: "a", tool: call.tool, text: "", at: 0 },
    ]);
    transport.push(
      [
        "chat",
        { type: "part", ...at, index: 2, part: { type: "thinking", text: "so ", origin: null } },
      ],
      [...delta("far", 3, 2)],
    );
    expect(last(state).parts.map((part) => part.type)).toEqual(["text", "tool_call", "thinking"]);
    transport.handlers["chat.open"] = () =>
      chatView(message("m1"), {
        ...ANSWER,
        parts: [text(""), call, { type: "thinking", text: "so far", origin: null }],
      });
    await state.chat.current.load();
    transport.push(
      [...delta(" so", 6, 2)],
      ["chat", { type: "part", ...at, index: 1, part: { ...call, arguments: { mode: "Live" } } }],
    );
    expect(last(state).parts).toMatchObject([
      { type: "text" },
      { arguments: { mode: "Live" } },
      { text: "so far so" },
    ]);
    expect(transport.called("chat.open")).toHaveLength(2);
  });
  it("is told in another view when it has come, with the way there", async () => {
    const { state, transport } = await live();
    state.ui.navigate("monitor");
    transport.push([
      "chat",
      { type: "message", message: { ...ANSWER, state: "complete", parts: [text("done")] } },
    ]);
    expect(state.ui.toasts.map((toast) => toast.text)).toEqual([
      "The assistant has answered: Copy on a pad",
    ]);
    state.ui.toasts[0]?.action?.run();
    expect(state.ui.paramsOf("chat")).toEqual({ kind: "conversation", conversation_id: "c1" });
  });
  it("with a plan leads from another view to its conversation", async () => {
    const { state, transport } = await live();
    state.ui.navigate("monitor");
    const result = {
      type: "tool_result",
      call_id: "a",
      tool: "conductor_create_mapping",
      ok: true,
      content: "{}",
      plan_id: "p9",
      code: null,
      duration_ms: 1,
    };
    transport.push([
      "chat",
      { type: "part", conversation_id: "c1", message_id: "m2", index: 1, part: result },
    ]);
    transport.push([
      "plan",
      {
        ...PLAN,
        plan_id: "p9",
        requested_by: { caller: "chat", client: "sim/gpt-sim", pid: null, executable: null },
      },
    ]);
    expect(state.ui.toasts[0]?.text).toContain("The assistant proposes: ");
    state.ui.toasts[0]?.action?.run();
    expect(state.ui.paramsOf("chat")).toEqual({ kind: "conversation", conversation_id: "c1" });
  });
  it("of another conversation leaves what is shown alone", async () => {
    const { state, transport } = await live();
    transport.push(["chat", { type: "message", message: message("x", { conversation_id: "c2" }) }]);
    expect(shown(state)).toEqual(["m1", "m2"]);
  });
});

describe("a page that is reloaded", () => {
  it("shows the conversation that was open, also while it is answered", async () => {
    await live();
    const { state } = await start({
      "chat.open": () => ({ ...chatView(message("m1"), ANSWER), run: run({ running: true }) }),
    });
    await state.chat.restore();
    expect([state.chat.current.id, shown(state), state.chat.running]).toEqual([
      "c1",
      ["m1", "m2"],
      true,
    ]);
  });
  it("begins a new one when that is gone", async () => {
    await live();
    const { state } = await start({
      "chat.open": () => {
        throw new Error("gone");
      },
    });
    await state.chat.restore();
    expect([state.chat.current.id, state.chat.current.error]).toEqual([null, null]);
  });
});

describe("branches", () => {
  it("a second answer takes the place of the first, which stays beside it", async () => {
    const { state, transport } = await live();
    transport.push(["chat", { type: "message", message: { ...ANSWER, message_id: "m3" } }]);
    expect(shown(state)).toEqual(["m1", "m3"]);
    expect(state.chat.current.entries[1]!.siblings).toEqual(["m2", "m3"]);
  });
  it("what is said instead begins another branch, from the root too", async () => {
    const { state, transport } = await live();
    transport.push(["chat", { type: "message", message: message("m4") }]);
    expect(shown(state)).toEqual(["m4"]);
    expect(state.chat.current.entries[0]!.siblings).toEqual(["m1", "m4"]);
  });
  it("what grows on one that is not shown is looked for once", async () => {
    const { state, transport } = await live();
    const there = (at: number) => ["chat", { ...delta("more", at)[1], message_id: "m9" }] as const;
    transport.push([...there(0)]);
    transport.push([...there(2)]);
    await vi.waitFor(() => expect(transport.called("chat.open")).toHaveLength(2));
    await vi.waitFor(() => expect(state.chat.current.loading).toBe(false));
    for (const at of [4, 8, 12]) {
      transport.push([...there(at)]);
      await vi.waitFor(() => expect(state.chat.current.loading).toBe(false));
    }
    transport.push([...delta("here", 0)]);
    expect(textOf(last(state))).toBe("here");
    expect(transport.called("chat.open")).toHaveLength(2);
  });
  it("another version is asked for by its message", async () => {
    const { state, transport } = await live();
    await state.chat.current.showBranch("m2");
    expect(transport.called("chat.branch")).toEqual([{ conversation_id: "c1", message_id: "m2" }]);
  });
});

describe("talking", () => {
  it("begins a conversation with the first thing said, and shows it", async () => {
    const { state, transport } = await start();
    state.chat.chosenModel = { provider: "sim", model: "big" };
    expect(await state.chat.sendText("hi")).toBe(true);
    expect(transport.called("chat.send")).toEqual([
      {
        conversation_id: null,
        parts: [{ type: "text", text: "hi" }],
        provider: "sim",
        model: "big",
      },
    ]);
    expect([state.chat.current.id, shown(state)]).toEqual(["c1", ["m1", "m2"]]);
  });
  it("stops only what runs, and again to stop hard", async () => {
    const { state, transport } = await live();
    await state.chat.stop();
    expect(transport.called("chat.stop")).toEqual([]);
    transport.push(["chat", run({ running: true, activity: "writing" })]);
    await state.chat.stop();
    expect(state.chat.stopping).toBe(true);
    await state.chat.stop();
    expect(transport.called("chat.stop")).toHaveLength(2);
    transport.push(["chat", run()]);
    expect(state.chat.stopping).toBe(false);
  });
  it("keeps what is written for each conversation", async () => {
    const { state } = await start();
    state.chat.setDraft({ text: "new", parts: [] });
    await state.chat.open("c1");
    expect(state.chat.draft.text).toBe("");
    state.chat.setDraft({ text: "old", parts: [] });
    state.chat.startNew();
    expect(state.chat.draft.text).toBe("new");
  });
  it("lists a conversation that begins while the list is read", async () => {
    let answer: (list: unknown) => void = () => {};
    const { state, transport } = await start();
    const made = state.chat.list.conversations[0]!;
    transport.handlers["chat.conversations"] = () => new Promise((resolve) => (answer = resolve));
    const reading = state.chat.list.load();
    await vi.waitFor(() => expect(transport.called("chat.conversations")).toHaveLength(2));
    transport.handlers["chat.conversations"] = () => ({
      conversations: [{ ...made, conversation_id: "c9" }, made],
    });
    transport.push([
      "chat",
      { type: "conversation", conversation: { ...made, conversation_id: "c9" } },
    ]);
    answer({ conversations: [made] });
    await reading;
    await vi.waitFor(() =>
      expect(state.chat.list.conversations.map((one) => one.conversation_id)).toEqual(["c9", "c1"]),
    );
  });
  it("lists conversations down to the oldest, each once, whatever is told meanwhile", async () => {
    const kept = Array.from({ length: 250 }, (_, at) => ({
      ...chatView().conversation,
      conversation_id: `k${at}`,
      updated_at: new Date(1e12 - at * 1e6).toISOString(),
    }));
    const page = ({ limit = 100, before_id }: Record<string, unknown>) => {
      const from = before_id ? kept.findIndex((one) => one.conversation_id === before_id) + 1 : 0;
      return {
        conversations: kept.slice(from, from + Number(limit)),
        older: from + Number(limit) < kept.length,
      };
    };
    const { state, transport } = await start({ "chat.conversations": page });
    expect(state.chat.list.conversations).toHaveLength(100);
    // One that is on a later page has another title: the pages between do not get lost.
    transport.push([
      "chat",
      { type: "conversation", conversation: { ...kept[220]!, title: "Renamed" } },
    ]);
    expect(state.chat.list.conversations).toHaveLength(100);
    await state.chat.list.loadOlder();
    await state.chat.list.load();
    expect(state.chat.list.conversations).toHaveLength(200);
    await state.chat.list.loadOlder();
    await state.chat.list.loadOlder();
    expect(state.chat.list.conversations.map((one) => one.conversation_id)).toEqual(
      kept.map((one) => one.conversation_id),
    );
    expect(state.chat.list.hasOlder).toBe(false);
    expect(transport.called("chat.conversations")).toHaveLength(4);
  });
  it("leaves a conversation that was deleted", async () => {
    const { state, transport } = await live();
    transport.push(["chat", { type: "removed", conversation_id: "c1" }]);
    expect([state.chat.current.id, state.chat.list.conversations, shown(state)]).toEqual([
      null,
      [],
      [],
    ]);
  });
  it("reads older messages before those that are shown", async () => {
    const older = { messages: [{ message: message("m0"), siblings: ["m0"] }], older: false };
    const { state, transport } = await start({
      "chat.open": () => ({ ...chatView(), older: true }),
      "chat.older": () => older,
    });
    await state.chat.open("c1");
    await state.chat.current.loadOlder();
    expect(shown(state)).toEqual(["m0", "m1", "m2"]);
    expect(transport.called("chat.older")).toEqual([{ conversation_id: "c1", before_id: "m1" }]);
    await state.chat.current.loadOlder();
    expect(transport.called("chat.older")).toHaveLength(1);
  });
});
