/** Settings, Skills and MCP servers; approvals; tool cards; the arguments of a Plugin action. */
import { fireEvent, render, screen, waitFor, within } from "@testing-library/svelte";
import userEvent from "@testing-library/user-event";
import { afterEach, describe, expect, it, vi } from "vitest";
import { toParams as narrowed, NO_FILTERS } from "$features/activity/filters";
import { permissionLabel } from "$features/activity/entry";
import {
  describeSkill,
  describeApproval,
  groupByOrigin,
  filterSkills,
  groupSkills,
} from "$features/capabilities/words";
import {
  parseFields,
  toContent,
  findProblems,
  initialValues as startOfForm,
} from "$features/approvals/form";
import { ARMED_AFTER_MS, findWarnings, headline } from "$features/approvals/words";
import { findCode, parseResult, wasDenied } from "$features/chat/results";
import {
  entryOf,
  nameFor,
  parsePairs,
  parseSnippet,
  splitCommandLine,
} from "$features/servers/entry";
import { isFromControl, buildArguments, initialArgument, detectValueKind } from "$forms/arguments";
import { Client } from "$lib/client/client";
import type {
  KnownServer,
  Abilities,
  AbilityView,
  ApprovalView,
  QuestionView,
  ServerToolView,
  ServerView,
} from "$lib/client/types";
import { serverOf, toolTitle, wireName } from "$lib/skills";
import type { ViewParams, ViewWithParams } from "$lib/state/navigation";
import { createState, type State } from "$lib/state/state";
import { Refusal, type FakeTransport, type Handlers } from "$lib/transport/fake";
import { hasHidden, splitAtHidden } from "$ui";
import { parametersOf } from "$ui/parameters";
import App from "../src/App.svelte";
import "./load-views";
import FormHost from "./FormHost.svelte";
import { chatView, fakeConductor, message, run } from "./sample";

const SOON = "2099-01-01T00:00:00Z";
const ability = (skill_id: string, over: Partial<AbilityView> = {}): AbilityView => ({
  skill_id,
  tool: `conductor_${skill_id}`,
  title: skill_id,
  tool_title: skill_id,
  description: `About ${skill_id}.`,
  tier: "core",
  category: null,
  enabled: true,
  because: "tier",
  requires_approval: false,
  origin: null,
  parameters: { type: "object", properties: {} },
  problem: null,
  ...over,
});
const ABILITIES: Abilities = {
  tiers: [
    { tier: "core", title: "Core", description: "Needs nothing.", enabled: true },
    { tier: "network", title: "Network", description: "Asks the internet.", enabled: false },
    { tier: "integration", title: "Integrations", description: "Of others.", enabled: false },
  ],
  skills: [
    ability("notes", { tool: "conductor_add_note", title: "Notes", tool_title: "Add note" }),
    ability("notes", {
      tool: "conductor_delete_note",
      title: "Notes",
      tool_title: "Delete note",
      requires_approval: true,
    }),
    ability("calculator", { title: "Calculator", because: "single", enabled: false }),
    ability("mcp:time:now", {
      tool: "mcp:time:now",
      title: "time: Now",
      tool_title: "time: Now",
      tier: "integration",
      origin: "MCP server time",
      enabled: false,
    }),
  ],
  folders: ["/home/me/Music"],
};
const approval = (approval_id: string, over: Partial<ApprovalView> = {}): ApprovalView => ({
  approval_id,
  state: "pending",
  skill_id: "notes",
  tool: "conductor_delete_note",
  title: "Delete note",
  description: "Delete a note for good.",
  tier: "core",
  origin: null,
  arguments: { note_id: approval_id },
  shape: "only exactly these arguments",
  choices: ["once", "conversation", "always", "deny", "never"],
  requester: "the chat",
  caller: "chat",
  conversation_id: "c1",
  requested_at: `2026-11-22T12:00:0${approval_id.length}Z`,
  expires_at: SOON,
  warnings: [],
  ...over,
});
const QUESTION: QuestionView = {
  question_id: "q1",
  server: "tables",
  message: "In which name?",
  schema: {
    type: "object",
    properties: {
      name: { type: "string", title: "Your name" },
      guests: { type: "integer", minimum: 1, maximum: 12, default: 2 },
      where: { type: "string", enum: ["in", "out"], enumNames: ["Inside", "Outside"] },
    },
    required: ["name"],
  },
  warnings: [],
  requested_at: SOON,
  expires_at: SOON,
  state: "pending",
};
const tool = (name: string, over: Partial<ServerToolView> = {}): ServerToolView => ({
  name,
  skill_id: `mcp:time:${name}`,
  title: name,
  description: "",
  enabled: true,
  off_by_kind: false,
  state: "ok",
  requires_approval: true,
  digest: `sha256:${name}`,
  parameters: {},
  has_app: false,
  changes: null,
  problem: null,
  warnings: [],
  ...over,
});
const server = (over: Partial<ServerView> = {}): ServerView => ({
  name: "time",
  transport: "stdio",
  command: "uvx",
  args: ["mcp-server-time", "--tz", "Europe/Rome now"],
  cwd: null,
  env_names: ["TOKEN"],
  url: null,
  header_names: [],
  program: null,
  enabled: true,
  consented: true,
  digest: "sha256:1",
  state: "ready",
  problem: null,
  advice: [],
  notes: [],
  era: null,
  version: "1",
  server_title: "Time",
  instructions: null,
  tools: [tool("now")],
  resources: 0,
  prompts: 0,
  started_at: null,
  sign_in: "none",
  sign_in_address: null,
  ...over,
});

async function open<V extends ViewWithParams>(
  view: V | "activity",
  params?: ViewParams[V],
  over: Handlers = {},
): Promise<[FakeTransport, State]> {
  const transport = fakeConductor({ "abilities.list": () => ABILITIES, ...over });
  const client = new Client(transport);
  const state = createState(client);
  state.ui.navigate(view as V, params);
  client.start();
  render(App, { props: { state } });
  await waitFor(() => expect(state.config.view).not.toBeNull());
  return [transport, state];
}
const live = async (name: string): Promise<HTMLButtonElement> => {
  const button = await screen.findByRole<HTMLButtonElement>("button", { name });
  await waitFor(() => expect(button.disabled).toBe(false), { timeout: 5_000 });
  return button;
};
const decisions = (transport: FakeTransport): unknown[] =>
  transport.called("approvals.decide").map((call) => (call as { decision: string }).decision);

describe("what cannot be seen", () => {
  it("is named where it stands, a run at a time", () => {
    expect(splitAtHidden("A\u202enna\u200b\u200b!")).toEqual([
      { text: "A", hidden: false },
      { text: "U+202E", hidden: true },
      { text: "nna", hidden: false },
      { text: "U+200B U+200B", hidden: true },
      { text: "!", hidden: false },
    ]);
    expect(splitAtHidden("\u{e0041}".repeat(100))[0]!.text).toMatch(
      /^U\+E0041( U\+E0041){23} and 76 more$/,
    );
    for (const one of [
      "\u0000",
      "\u001b[2J",
      "\u00a0",
      "\u00ad",
      "\u3164",
      "\u2028",
      "\ufeff",
      "\ud800",
      "\u061c",
    ])
      expect(hasHidden(`a${one}b`)).toBe(true);
    expect(hasHidden("Übung: 日本語, emoji 🎹, two\nlines and a\ttab")).toBe(false);
  });
  it("agrees with Unicode on which characters are invisible, for every character", () => {
    const categories = "\\p{Cc}\\p{Cf}\\p{Cs}\\p{Co}\\p{Zl}\\p{Zp}\\p{Zs}";
    const properties = "\\p{Default_Ignorable_Code_Point}\\p{Noncharacter_Code_Point}";
    const unseen = new RegExp(`[${categories}${properties}\\u2800]`, "u");
    const other: string[] = [];
    for (let code = 0; code <= 0x10ffff; code += 1) {
      const char = String.fromCodePoint(code);
      if (hasHidden(char) !== (unseen.test(char) && !"\n\t ".includes(char)))
        other.push(code.toString(16));
    }
    expect(other).toEqual([]);
  });
  it("is warned of in what a call is given, in names and at any depth", () => {
    expect(findWarnings({ warnings: ["careful"], arguments: { a: ["x"] } })).toEqual(["careful"]);
    expect(findWarnings({ warnings: [], arguments: { a: [{ b: "x\u202e" }] } })).toHaveLength(1);
    expect(findWarnings({ warnings: [], arguments: { "a\u200b": 1 } })).toHaveLength(1);
  });
});

describe("a call that waits for a yes", () => {
  const waiting = (...all: ApprovalView[]): Handlers => ({
    "approvals.list": () => ({ approvals: all }),
  });
  afterEach(() => vi.restoreAllMocks());
  /**
   * Suspend the delay after which a question accepts answers. Returns a function that resumes it.
   */
  function delayArming(): () => void {
    const held: (() => void)[] = [];
    const later = globalThis.setTimeout;
    vi.spyOn(globalThis, "setTimeout").mockImplementation(((run: () => void, ms?: number) =>
      ms === ARMED_AFTER_MS ? held.push(run) : later(run, ms)) as typeof setTimeout);
    return () => held.forEach((run) => run());
  }
  it("shows who asks and all of it, and takes no yes before one can have read it", async () => {
    const read = delayArming();
    const [transport] = await open(
      "mappings",
      undefined,
      waiting(approval("a", { arguments: { code: "one\ntwo", note_id: "5", times: 5 } })),
    );
    const dialog = await screen.findByRole("dialog", { name: "Allow “Delete note”?" });
    expect(within(dialog).getByText("The chat")).toBeTruthy();
    expect(within(dialog).getByRole("region", { name: "Arguments" }).textContent).toMatch(
      /one\ntwo.*note_id.*"5".*times.*5/s,
    );
    const yes = within(dialog).getByRole<HTMLButtonElement>("button", { name: "Allow once" });
    expect(yes.disabled).toBe(true);
    await fireEvent.click(yes);
    expect(decisions(transport)).toEqual([]);
    await waitFor(() =>
      expect(document.activeElement?.getAttribute("aria-label")).toBe("Arguments"),
    );
    read();
    await fireEvent.click(await live("Allow once"));
    await waitFor(() => expect(decisions(transport)).toEqual(["once"]));
    await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
  });
  it("is denied by Escape and by closing it", async () => {
    const [transport] = await open("mappings", undefined, waiting(approval("a"), approval("bb")));
    await screen.findByText("1 of 2 pending");
    await live("Allow once");
    await userEvent.keyboard("{Escape}");
    await waitFor(() => expect(decisions(transport)).toEqual(["deny"]));
    await screen.findByText(/"bb"/);
    await fireEvent.click(screen.getByRole("button", { name: "Close" }));
    await waitFor(() =>
      expect(transport.called("approvals.decide")).toEqual([
        { approval_id: "a", decision: "deny" },
        { approval_id: "bb", decision: "deny" },
      ]),
    );
  });
  it("is not decided by an Escape that was meant for what was there before", async () => {
    const read = delayArming();
    const [transport] = await open("mappings", undefined, waiting(approval("a")));
    const yes = await screen.findByRole<HTMLButtonElement>("button", { name: "Allow once" });
    await userEvent.keyboard("{Escape}");
    expect(yes.disabled).toBe(true);
    expect(decisions(transport)).toEqual([]);
    read();
    await live("Allow once");
    await userEvent.keyboard("{Escape}");
    await waitFor(() => expect(decisions(transport)).toEqual(["deny"]));
  });
  it("offers only valid answers, and cannot be allowed while the connection is lost", async () => {
    const [transport, state] = await open(
      "mappings",
      undefined,
      waiting(approval("a", { choices: ["once", "deny", "never"], conversation_id: null })),
    );
    await live("Allow once");
    expect(screen.queryByRole("button", { name: "Always allow" })).toBeNull();
    expect(screen.queryByRole("button", { name: "Allow in this conversation" })).toBeNull();
    transport.setLink("lost");
    await waitFor(() =>
      expect(screen.getByRole<HTMLButtonElement>("button", { name: "Allow once" }).disabled).toBe(
        true,
      ),
    );
    expect(state.approvals.pending).toHaveLength(1);
  });
  it("goes away when it was decided elsewhere, and says so when nobody answered", async () => {
    const [transport, state] = await open("mappings");
    transport.push(["approval", approval("a")]);
    await screen.findByRole("dialog");
    transport.push(["approval", approval("a", { state: "expired" })]);
    await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
    expect(state.ui.toasts.map((one) => one.text)).toEqual([
      "Denied because nobody answered in time: Delete note",
    ]);
    expect(decisions(transport)).toEqual([]);
  });
  it("stays when the answer did not arrive", async () => {
    const refuse = () => {
      throw new Refusal({ code: "not_allowed", message: "this was denied already" });
    };
    const [, state] = await open("mappings", undefined, {
      ...waiting(approval("a")),
      "approvals.decide": refuse,
    });
    await fireEvent.click(await live("Allow once"));
    await waitFor(() =>
      expect(state.ui.toasts.map((one) => one.text)).toContain("This was denied already"),
    );
    expect(screen.getByRole("dialog")).toBeTruthy();
  });
  it("names the tool of a server with its server", () => {
    expect(headline({ title: "time: Now", tool: "mcp:time:now", origin: "MCP server time" })).toBe(
      "Allow “Now” from MCP server time?",
    );
    expect(headline({ title: "Calculate", tool: "conductor_calculate", origin: null })).toBe(
      "Allow “Calculate”?",
    );
  });
});

describe("a server's question", () => {
  it("is a form under the server's name, and takes no keys that are typed elsewhere", async () => {
    const [transport] = await open("mappings", undefined, {
      "questions.list": () => ({ questions: [QUESTION] }),
    });
    const dialog = await screen.findByRole("dialog", { name: "tables has a question" });
    expect(dialog.textContent).toContain(
      "This question comes from an MCP server, not from Conductor.",
    );
    await waitFor(() => expect(document.activeElement?.textContent).toBe("In which name?"));
    await userEvent.type(within(dialog).getByRole("textbox", { name: "Your name" }), "Anna");
    await fireEvent.click(within(dialog).getByRole("radio", { name: "Outside" }));
    await fireEvent.click(await live("Send answer"));
    await waitFor(() =>
      expect(transport.called("questions.answer")).toEqual([
        { question_id: "q1", action: "accept", content: { name: "Anna", guests: 2, where: "out" } },
      ]),
    );
  });
  it("is put off by Escape and can be declined", async () => {
    const [transport] = await open("mappings", undefined, {
      "questions.list": () => ({ questions: [QUESTION, { ...QUESTION, question_id: "q2" }] }),
    });
    await live("Send answer");
    await userEvent.keyboard("{Escape}");
    await waitFor(() =>
      expect(transport.called("questions.answer")).toEqual([
        { question_id: "q1", action: "cancel" },
      ]),
    );
    await fireEvent.click(await screen.findByRole("button", { name: "Decline" }));
    await waitFor(() =>
      expect(transport.called("questions.answer")[1]).toEqual({
        question_id: "q2",
        action: "decline",
      }),
    );
  });
  it("says what is missing or out of bounds, and sends only what was filled in", () => {
    const fields = parseFields(QUESTION.schema);
    expect(fields.map(({ kind }) => kind)).toEqual(["text", "integer", "choice"]);
    expect(startOfForm(fields)).toEqual({ name: "", guests: 2, where: null });
    expect(findProblems(fields, { name: "", guests: 13, where: "up" })).toEqual({
      name: "Required.",
      guests: "Must be at most 12.",
      where: "Choose one.",
    });
    expect(toContent(fields, { name: "A", guests: null, where: null })).toEqual({ name: "A" });
    const others = parseFields({
      properties: {
        at: { type: "string", format: "date-time" },
        tags: { type: "array", items: { type: "string", enum: ["a"] } },
        one: { type: "string", oneOf: [{ const: "x", title: "X" }] },
      },
    });
    expect(others.map(({ kind, options }) => [kind, options.map((one) => one.label)])).toEqual([
      ["text", []],
      ["choices", ["a"]],
      ["choice", ["X"]],
    ]);
  });
});

describe("the card of a call", () => {
  const CALL = {
    type: "tool_call" as const,
    call_id: "x1",
    tool: "conductor_delete_note",
    arguments: { note_id: "a" },
    malformed: null,
    origin: null,
  };
  const conversation = (result?: { ok: boolean; content: string }) => () => ({
    ...chatView(
      message("m1", { parts: [{ type: "text", text: "go", origin: null }] }),
      message("m2", {
        role: "assistant",
        parent_id: "m1",
        state: result ? "complete" : "streaming",
        parts: [
          CALL,
          ...(result
            ? [
                {
                  type: "tool_result" as const,
                  call_id: "x1",
                  tool: CALL.tool,
                  plan_id: null,
                  code: null,
                  duration_ms: 5,
                  ...result,
                },
              ]
            : []),
        ],
      }),
    ),
    run: run({ running: !result }),
  });
  it("says that it waits for the user", async () => {
    await open(
      "chat",
      { kind: "conversation", conversation_id: "c1" },
      { "chat.open": conversation(), "approvals.list": () => ({ approvals: [approval("a")] }) },
    );
    await waitFor(() =>
      expect(document.querySelector(".tool")?.textContent).toContain("waiting for approval"),
    );
    expect(document.querySelector(".tool")?.textContent).toContain("Delete note");
  });
  it("tells a no from a failure", async () => {
    await open(
      "chat",
      { kind: "conversation", conversation_id: "c1" },
      {
        "chat.open": conversation({
          ok: false,
          content: "the user does not allow this call of Notes; do not call it again",
        }),
      },
    );
    await waitFor(() => expect(document.querySelector(".tool")?.textContent).toContain("denied"));
    expect([
      wasDenied({ code: "not_allowed", content: "no" }),
      wasDenied({ code: "action_failed", content: "the user does not allow this" }),
      wasDenied({ code: null, content: "the user never allows Notes; only the user" }),
      wasDenied({ code: null, content: "the call of Notes was not approved in time" }),
      wasDenied({ code: null, content: "there is no note" }),
    ]).toEqual([true, false, true, true, false]);
  });
  it("shows code, its output, what was found and a server's words", () => {
    expect(findCode("conductor_run_code", { code: "1+1", language: "python" })).toEqual({
      code: "1+1",
      language: "python",
    });
    expect(
      parseResult(
        "conductor_run_code",
        '{"output":"2\\n","result":"3","error":null,"timed_out":false}',
      ),
    ).toEqual({ is: "code", run: { output: "2\n", result: "3", error: null, timed_out: false } });
    expect(
      parseResult(
        "conductor_discover_skills",
        '{"skills":[{"name":"conductor_calculate","title":"Calculator","description":"Sums."}],' +
          '"message":"Found 1"}',
      ),
    ).toEqual({
      is: "found",
      found: [{ name: "conductor_calculate", title: "Calculator", text: "Sums." }],
    });
    expect(parseResult("mcp__time__now", '{"server":"time","tool":"now","text":"12:00"}')).toEqual({
      is: "text",
      text: "12:00",
    });
    expect(
      parseResult(
        "mcp__time__now",
        '<tool_result name="MCP server time" ' +
          'untrusted="true">\n{"server":"time","tool":"now","text":"12:00"}\n</tool_result>',
      ),
    ).toEqual({ is: "text", text: "12:00" });
    expect(parseResult("conductor_get_status", "no JSON")).toEqual({ is: "plain" });
  });
});

describe("names of tools", () => {
  it("are told in words, and known by both of their forms", () => {
    expect([
      toolTitle("conductor_delete_note"),
      toolTitle("conductor_get_config"),
      toolTitle("conductor_of_an_older_version"),
      toolTitle("mcp:time:get-now"),
      wireName("mcp:time:get now"),
      serverOf("mcp:time:now"),
      serverOf("mcp__time__now"),
      serverOf("conductor_x"),
    ]).toEqual([
      "Delete note",
      "Read config",
      "Of an older version",
      "Get now",
      "mcp__time__get_now",
      "time",
      "time",
      null,
    ]);
  });
});

describe("Settings, Skills", () => {
  it("shows each skill once, with what it does and whether it asks", () => {
    const skills = groupSkills(ABILITIES.skills);
    expect(skills.map((one) => [one.title, describeSkill(one), describeApproval(one)])).toEqual([
      ["Notes", "Add note, Delete note", "some ask first"],
      [
        "Calculator",
        "Calculates with numbers, units and dates, and converts notes to Hz and bpm to ms.",
        "",
      ],
      ["Now", "About mcp:time:now.", ""],
    ]);
    expect(groupByOrigin(skills).map(({ origin }) => origin)).toEqual([null, "MCP server time"]);
    expect(filterSkills(skills, "DELETE note").map((one) => one.title)).toEqual(["Notes"]);
  });
  it("switches kinds and single skills, and resets one to its kind", async () => {
    const [transport] = await open(
      "settings",
      { kind: "page", page: "abilities" },
      { "abilities.set": () => ABILITIES, "abilities.set_tier": () => ABILITIES },
    );
    await fireEvent.click(await screen.findByRole("switch", { name: "Network: all" }));
    await fireEvent.click(screen.getByRole("switch", { name: "Use Notes" }));
    await fireEvent.click(screen.getByRole("button", { name: "Calculator: follow its group" }));
    await waitFor(() =>
      expect(transport.called("abilities.set")).toEqual([
        { skill_id: "notes", enabled: false },
        { skill_id: "calculator", enabled: null },
      ]),
    );
    expect(transport.called("abilities.set_tier")).toEqual([{ tier: "network", enabled: true }]);
    expect(screen.queryByRole("button", { name: "Notes: follow its group" })).toBeNull();
  });
  it("grants folders, says why one is not taken, and takes them away", async () => {
    const folder = ({ path }: { path: string }) => {
      if (path !== "/home/me/Music")
        throw new Refusal({ code: "params_invalid", message: "`/x` is not a folder" });
      return { ...ABILITIES, folders: [] };
    };
    await open("settings", { kind: "page", page: "abilities" }, { "abilities.folder": folder });
    const part = within(await screen.findByRole("region", { name: "Readable folders" }));
    await userEvent.type(part.getByRole("textbox", { name: "Folder to add" }), "/x{Enter}");
    expect((await part.findByRole("alert")).textContent).toBe("/x is not a folder");
    await fireEvent.click(part.getByRole("button", { name: "Remove /home/me/Music" }));
    expect(
      await part.findByText("No folders yet: the assistant cannot read your files."),
    ).toBeTruthy();
  });
  it("forgets an answer", async () => {
    const grant = {
      grant_id: "g1",
      skill_id: "notes",
      title: "Notes",
      origin: null,
      verdict: "allow",
      scope: "always",
      shape: "any call",
      requester: "the chat",
      conversation_id: null,
      created_at: SOON,
      last_used_at: null,
      uses: 2,
    };
    const [transport] = await open(
      "settings",
      { kind: "page", page: "abilities" },
      { "grants.list": () => ({ grants: [grant] }), "grants.revoke": () => ({ grants: [] }) },
    );
    await fireEvent.click(
      await screen.findByRole("button", { name: /^Forget the answer to Notes/ }),
    );
    expect(await screen.findByText(/^No remembered answers/)).toBeTruthy();
    expect(transport.called("grants.revoke")).toEqual([{ grant_id: "g1" }]);
  });
});

describe("Settings, MCP servers", () => {
  const list = (...servers: ServerView[]): Handlers => ({
    "servers.list": () => ({ servers, path: "/m/mcp.json", problem: null }),
  });
  it("teaches when there is none", async () => {
    await open("settings", { kind: "page", page: "servers" }, list());
    expect(await screen.findByText("No MCP servers")).toBeTruthy();
  });
  it("shows exactly what would run, a word a line, and agrees to just that", async () => {
    const asking = server({
      state: "needs_consent",
      consented: false,
      advice: ["It runs `sudo`."],
      args: ["-c", "two words", "\u202ex"],
    });
    const [transport] = await open(
      "settings",
      { kind: "page", page: "servers" },
      { ...list(asking), "servers.consent": () => server() },
    );
    await fireEvent.click(await screen.findByRole("button", { name: "Review…" }));
    const dialog = within(await screen.findByRole("dialog"));
    expect(
      [...dialog.getByRole("region", { name: "What will run" }).querySelectorAll("code")].map(
        (one) => one.textContent,
      ),
    ).toEqual(["uvx", "-c", "two words", "U+202Ex", "TOKEN"]);
    expect(dialog.getByText("sudo")).toBeTruthy();
    await fireEvent.click(dialog.getByRole("button", { name: "Allow" }));
    await waitFor(() =>
      expect(transport.called("servers.consent")).toEqual([{ name: "time", digest: "sha256:1" }]),
    );
    expect(await screen.findByText("Ready")).toBeTruthy();
  });
  it("is not agreed to when it changed under the user's eyes", async () => {
    const refuse = () => {
      throw new Refusal({ code: "not_allowed", message: "it is not what was shown" });
    };
    await open(
      "settings",
      { kind: "page", page: "servers" },
      { ...list(server({ state: "needs_consent" })), "servers.consent": refuse },
    );
    await fireEvent.click(await screen.findByRole("button", { name: "Review…" }));
    await fireEvent.click(await screen.findByRole("button", { name: "Allow" }));
    expect((await screen.findByRole("alert")).textContent).toBe("It is not what was shown");
  });
  it("asks for consent to the command that the dialog showed, not to a later one", async () => {
    const shown = server({ state: "needs_consent", args: ["seen"] });
    const swapped = server({ state: "needs_consent", args: ["swapped"], digest: "sha256:2" });
    const [transport] = await open(
      "settings",
      { kind: "page", page: "servers" },
      { ...list(shown), "servers.consent": () => server({ digest: "sha256:2" }) },
    );
    const args = (): string | undefined =>
      screen.getByRole("region", { name: "What will run" }).querySelectorAll("code")[1]
        ?.textContent;
    await fireEvent.click(await screen.findByRole("button", { name: "Review…" }));
    const yes = await screen.findByRole<HTMLButtonElement>("button", { name: "Allow" });
    transport.push(["servers", { name: "time", server: swapped }]);
    expect((await screen.findByRole("alert")).textContent).toContain(
      "has changed since you opened this",
    );
    expect(args()).toBe("seen");
    expect(yes.disabled).toBe(true);
    await fireEvent.click(yes);
    expect(transport.called("servers.consent")).toEqual([]);
    await fireEvent.click(screen.getByRole("button", { name: "Show the current version" }));
    expect(args()).toBe("swapped");
    await fireEvent.click(screen.getByRole("button", { name: "Allow" }));
    await waitFor(() =>
      expect(transport.called("servers.consent")).toEqual([{ name: "time", digest: "sha256:2" }]),
    );
  });
  it("says that a server is gone while its yes is asked for", async () => {
    const [transport] = await open(
      "settings",
      { kind: "page", page: "servers" },
      list(server({ state: "needs_consent" })),
    );
    await fireEvent.click(await screen.findByRole("button", { name: "Review…" }));
    transport.push(["servers", { name: "time", server: null }]);
    expect((await screen.findByRole("alert")).textContent).toContain("has been removed");
    expect(screen.getByRole<HTMLButtonElement>("button", { name: "Allow" }).disabled).toBe(true);
  });
  it("accepts no tool that changed again while it was looked at", async () => {
    const as = (digest: string, changes: string): ServerView =>
      server({
        tools: [tool("now", { title: "Tell the time", state: "changed", digest, changes })],
      });
    const [transport] = await open(
      "settings",
      { kind: "page", page: "servers" },
      { ...list(as("sha256:a", "+first")), "servers.accept_change": () => server() },
    );
    await fireEvent.click(await screen.findByRole("button", { name: /^time/ }));
    expect(screen.getByText("now", { selector: "code *, code" })).toBeTruthy();
    transport.push(["servers", { name: "time", server: as("sha256:b", "+second") }]);
    expect((await screen.findByRole("alert")).textContent).toContain("changed again");
    expect(screen.queryByRole("button", { name: "Accept change" })).toBeNull();
    await fireEvent.click(screen.getByRole("button", { name: "Show the current version" }));
    expect(screen.getByText("+second")).toBeTruthy();
    await fireEvent.click(screen.getByRole("button", { name: "Accept change" }));
    await waitFor(() =>
      expect(transport.called("servers.accept_change")).toEqual([
        { server: "time", tool: "now", digest: "sha256:b" },
      ]),
    );
  });
  it("keeps a changed tool off until its difference was accepted", async () => {
    const changed = server({
      tools: [tool("now", { state: "changed", changes: "-Tells the time.\n+Sends your files." })],
    });
    const [transport] = await open(
      "settings",
      { kind: "page", page: "servers" },
      { ...list(changed), "servers.accept_change": () => server() },
    );
    await fireEvent.click(await screen.findByRole("button", { name: /^time/ }));
    expect(screen.getByRole<HTMLButtonElement>("switch", { name: "Use now" }).disabled).toBe(true);
    expect(screen.getByText("+Sends your files.")).toBeTruthy();
    await fireEvent.click(screen.getByRole("button", { name: "Accept change" }));
    await waitFor(() =>
      expect(screen.getByRole<HTMLButtonElement>("switch", { name: "Use now" }).disabled).toBe(
        false,
      ),
    );
    expect(transport.called("servers.accept_change")).toEqual([
      { server: "time", tool: "now", digest: "sha256:now" },
    ]);
  });
  it("follows what it is told, and says how a test went", async () => {
    const [transport] = await open(
      "settings",
      { kind: "page", page: "servers" },
      {
        ...list(server()),
        "servers.test": () => ({
          ok: false,
          words: "It did not answer.",
          took_ms: 12.4,
          server: server({ state: "failed" }),
        }),
      },
    );
    await fireEvent.click(await screen.findByRole("button", { name: /^time/ }));
    await fireEvent.click(screen.getByRole("button", { name: "Test" }));
    expect(await screen.findByText("It did not answer. 12 ms")).toBeTruthy();
    transport.push(["servers", { name: "time", server: server({ state: "starting" }) }]);
    expect(await screen.findByText("Starting")).toBeTruthy();
    expect(screen.getByText(/^Waiting for the server to answer/)).toBeTruthy();
    transport.push(["servers", { name: "time", server: null }]);
    expect(await screen.findByText("No MCP servers")).toBeTruthy();
  });
  it("adds what is pasted or typed, and asks for the yes at once", async () => {
    const [transport] = await open(
      "settings",
      { kind: "page", page: "servers" },
      {
        ...list(),
        "servers.add": ({ name }: { name: string }) => server({ name, state: "needs_consent" }),
      },
    );
    await fireEvent.click(await screen.findByRole("button", { name: "Add server" }));
    await fireEvent.click(await screen.findByRole("radio", { name: "Command" }));
    await userEvent.type(
      await screen.findByRole("textbox", { name: "Command" }),
      "npx -y '@scope/server-files@1.2.0' \"/my music\"",
    );
    await fireEvent.click(screen.getByRole("button", { name: "Add" }));
    await screen.findByRole("dialog", { name: /^Allow “files” to run/ });
    expect(transport.called("servers.add")).toEqual([
      {
        name: "files",
        entry: { command: "npx", args: ["-y", "@scope/server-files@1.2.0", "/my music"] },
      },
    ]);
  });
  const known = (changes: Partial<KnownServer> = {}): KnownServer => ({
    id: "obs",
    title: "OBS Studio",
    group: "studio",
    summary: "Switch scenes, mute sources, and start streams and recordings.",
    source: "https://github.com/someone/obs",
    program: "uvx",
    program_found: false,
    program_address: "https://docs.astral.sh/uv/",
    prepare: "",
    signs_in: false,
    fields: [
      {
        name: "password",
        label: "WebSocket password",
        kind: "secret",
        help: "",
        default: "",
        required: true,
      },
      { name: "port", label: "Port", kind: "text", help: "", default: "4455", required: true },
    ],
    ...changes,
  });
  it("adds a server of the list with what it needs, and asks for the yes at once", async () => {
    const [transport] = await open(
      "settings",
      { kind: "page", page: "servers" },
      {
        ...list(),
        "servers.known": () => ({
          servers: [known(), known({ id: "notion", title: "Notion", group: "work", fields: [] })],
        }),
        "servers.add_known": ({ id }: { id: string }) =>
          server({ name: id, state: "needs_consent" }),
        "shell.open_url": () => ({}),
      },
    );
    await fireEvent.click(await screen.findByRole("button", { name: "Add server" }));
    await userEvent.type(await screen.findByRole("searchbox", { name: "Search servers" }), "obs");
    expect(screen.queryByRole("button", { name: /^Notion/ })).toBeNull();
    await fireEvent.click(screen.getByRole("button", { name: /^OBS Studio/ }));
    const dialog = await screen.findByRole("dialog", { name: "Add OBS Studio" });
    expect(within(dialog).getByRole("status").textContent).toContain("uvx, which was not found");
    await fireEvent.click(within(dialog).getByRole("button", { name: /^github.com/ }));
    expect(transport.called("shell.open_url")).toEqual([{ url: "https://github.com/someone/obs" }]);
    const add = within(dialog).getByRole<HTMLButtonElement>("button", { name: "Add" });
    expect(add.disabled).toBe(true);
    const password = within(dialog).getByLabelText<HTMLInputElement>("WebSocket password");
    expect(password.type).toBe("password");
    await userEvent.type(password, "1234");
    await fireEvent.click(add);
    await screen.findByRole("dialog", { name: /^Allow “obs” to run/ });
    expect(transport.called("servers.add_known")).toEqual([
      { id: "obs", name: "", values: { password: "1234" } },
    ]);
  });
  it("keeps what was entered when adding fails, and says why", async () => {
    await open(
      "settings",
      { kind: "page", page: "servers" },
      {
        ...list(),
        "servers.known": () => ({ servers: [known()] }),
        "servers.add_known": () => {
          throw new Refusal({
            code: "invalid_params",
            message: "a server called obs already exists; remove it first",
          });
        },
      },
    );
    await fireEvent.click(await screen.findByRole("button", { name: "Add server" }));
    await fireEvent.click(await screen.findByRole("button", { name: /^OBS Studio/ }));
    const password = await screen.findByLabelText<HTMLInputElement>("WebSocket password");
    await userEvent.type(password, "1234");
    await fireEvent.click(screen.getByRole("button", { name: "Add" }));
    expect((await screen.findByRole("alert")).textContent).toContain("already exists");
    expect(password.value).toBe("1234");
    await fireEvent.click(screen.getByRole("button", { name: "Back to the list" }));
    expect(await screen.findByRole("searchbox", { name: "Search servers" })).toBeTruthy();
  });
  it("says while JSON is pasted whether it can be read, and which servers are in it", async () => {
    await open("settings", { kind: "page", page: "servers" }, list());
    await fireEvent.click(await live("Add server"));
    await fireEvent.click(screen.getByRole("radio", { name: "Paste JSON" }));
    const add = screen.getByRole<HTMLButtonElement>("button", { name: "Add" });
    const said = async (text: string): Promise<string> => {
      await fireEvent.input(screen.getByRole("textbox", { name: "JSON" }), {
        target: { value: text },
      });
      return within(screen.getByRole("dialog")).getByRole("status").textContent;
    };
    expect(await said('{ "mcpServers": {')).toMatch(/^Invalid JSON/);
    expect(add.disabled).toBe(true);
    expect(await said('{ "mcpServers": { "time": {} } }')).toBe(
      "time has neither a command nor a url.",
    );
    expect(
      await said(
        '{ "mcpServers": { "time": { "command": "uvx" }, "web": { "url": "https://a.org" } } }',
      ),
    ).toBe("2 servers: time, web.");
    expect(add.disabled).toBe(false);
  });
  it("imports servers from other programs, those that are chosen", async () => {
    const found = (name: string, over = {}) => ({
      name,
      entry: { command: "uvx", args: [name] },
      exists: false,
      same: false,
      notes: [],
      ...over,
    });
    const [transport] = await open(
      "settings",
      { kind: "page", page: "servers" },
      {
        ...list(),
        "servers.importable": () => ({
          sources: [
            {
              client: "cursor",
              title: "Cursor",
              path: "/c.json",
              servers: [found("a"), found("b", { exists: true, same: true })],
              problem: null,
            },
          ],
        }),
        "servers.import": () => ({ names: ["a"], notes: ["`TOKEN` is in the keychain."] }),
      },
    );
    await fireEvent.click(await screen.findByRole("button", { name: "Import…" }));
    const [first, second] = await screen.findAllByRole<HTMLInputElement>("checkbox");
    expect(second!.disabled).toBe(true);
    await fireEvent.click(first!);
    await fireEvent.click(screen.getByRole("button", { name: "Import" }));
    expect(await screen.findByText("TOKEN")).toBeTruthy();
    expect(transport.called("servers.import")).toEqual([
      { client: "cursor", names: ["a"], replace: false },
    ]);
  });
});

describe("entries of servers", () => {
  it("are read from whatever a README shows", () => {
    const entry = { command: "uvx", args: ["mcp-server-time"] };
    for (const text of [
      `{"mcpServers":{"time":${JSON.stringify(entry)}}}`,
      `{"servers":{"time":${JSON.stringify(entry)}}}`,
      `{"time":${JSON.stringify(entry)}}`,
      `"time": ${JSON.stringify(entry)},`,
      "```json\n" + `{"mcpServers":{"time":${JSON.stringify(entry)}}}` + "\n```",
    ])
      expect(parseSnippet(text)).toEqual([{ name: "time", entry }]);
    expect(parseSnippet(JSON.stringify(entry))).toEqual([{ name: "", entry }]);
    expect(() => parseSnippet("{")).toThrow(/Invalid JSON/);
    expect(() => parseSnippet('{"a":{"args":[]}}')).toThrow(
      "`a` has neither a `command` nor a `url`.",
    );
    expect(() => parseSnippet("{}")).toThrow("It contains no server.");
    expect(() => parseSnippet("[]")).toThrow(/object/);
  });
  it("are split as a shell would, and no further", () => {
    expect(splitCommandLine(`run "a b" c' 'd "e\\"f" ; rm $HOME`)).toEqual([
      "run",
      "a b",
      "c d",
      'e"f',
      ";",
      "rm",
      "$HOME",
    ]);
    expect(parsePairs("A=1\n\n B = x=y ", "=")).toEqual({ A: "1", B: "x=y" });
    expect(() => parsePairs("nothing", ":")).toThrow(/`nothing` needs a name and a value/);
  });
  it("are changed without their secrets being shown", () => {
    expect(entryOf(server({ cwd: "/x" }))).toEqual({
      command: "uvx",
      args: ["mcp-server-time", "--tz", "Europe/Rome now"],
      cwd: "/x",
      env: { TOKEN: null },
    });
    expect(entryOf(server({ url: "http:", header_names: ["Authorization"] }))).toEqual({
      url: "http:",
      headers: { Authorization: null },
    });
  });
  it("get a name of what they run", () => {
    expect([
      nameFor({ command: "uvx", args: ["mcp-server-time==2026.1.26"] }),
      nameFor({ command: "npx", args: ["-y", "@modelcontextprotocol/server-everything@latest"] }),
      nameFor({ url: "https:" + "//mcp.sentry.dev/mcp" }),
      nameFor({ command: "/opt/lights.py" }),
    ]).toEqual(["time", "everything", "mcp-sentry-dev", "lights"]);
  });
});

describe("parameters", () => {
  it("are told in words, what is needed first", () => {
    expect(
      parametersOf({
        properties: {
          limit: { type: "integer", default: 10 },
          path: { type: "string", description: "Where." },
          kind: { enum: ["a", "b"] },
          tags: { type: "array", items: { type: "string" }, default: [] },
          maybe: { anyOf: [{ type: "number" }, { type: "null" }] },
        },
        required: ["path"],
      }),
    ).toEqual([
      { name: "path", kind: "text", required: true, help: "Where." },
      { name: "limit", kind: "whole number", required: false, help: "If omitted: 10." },
      { name: "kind", kind: "a | b", required: false, help: "" },
      { name: "tags", kind: "list of text", required: false, help: "" },
      { name: "maybe", kind: "number", required: false, help: "" },
    ]);
    expect(parametersOf({})).toEqual([]);
  });
});

describe("the arguments of a Plugin action", () => {
  const PARAMETERS = {
    type: "object",
    properties: {
      scene: { type: "string", enum: ["a", "b"] },
      level: { type: "integer", minimum: 0, maximum: 255 },
      on: { type: "boolean" },
    },
    required: ["level"],
  };
  it("have a row for all that the tool takes, and for what is given besides", () => {
    const rows = buildArguments(PARAMETERS, { other: 1 });
    expect(rows.map(({ name, required, kinds }) => [name, required, kinds[0]])).toEqual([
      ["level", true, "number"],
      ["scene", false, "choice"],
      ["on", false, "boolean"],
      ["other", false, "text"],
    ]);
    expect(initialArgument("control", rows[0]!)).toEqual({ from: "value", min: 0, max: 255 });
    expect([
      isFromControl({ from: "steps" }),
      isFromControl({ from: "Rome" }),
      detectValueKind({ from: "value" }, []),
      detectValueKind({ a: 1 }, []),
      detectValueKind([1], []),
      detectValueKind(undefined, []),
    ]).toEqual([true, false, "control", "group", "list", "none"]);
  });
  it("are filled in by hand or from the control", async () => {
    let value: Record<string, unknown> = {};
    const start = { type: "Plugin", server: "lamp", tool: "set", args: {} };
    const servers = [
      {
        name: "lamp",
        state: "ready",
        tools: [{ name: "set", title: "Set", description: "", parameters: PARAMETERS }],
      },
    ];
    render(FormHost, {
      props: {
        root: "Action",
        start,
        servers,
        onChange: (next: unknown) => (value = next as Record<string, unknown>),
      },
    });
    const how = screen.getByLabelText(/^Source of level/);
    await userEvent.click(how);
    await userEvent.keyboard("{ArrowDown}{ArrowDown}{Enter}");
    await waitFor(() =>
      expect(value["args"]).toEqual({ level: { from: "value", min: 0, max: 255 } }),
    );
    await fireEvent.input(screen.getByRole("spinbutton", { name: "level at the highest value" }), {
      target: { value: "100" },
    });
    expect(value["args"]).toEqual({ level: { from: "value", min: 0, max: 100 } });
    await userEvent.type(screen.getByRole("textbox", { name: "Argument name" }), "note{Enter}");
    expect(value["args"]).toEqual({ level: { from: "value", min: 0, max: 100 }, note: "" });
  });
});

describe("the activity", () => {
  it("is asked for as it is narrowed", () => {
    const now = Date.parse("2026-11-22T12:00:00Z");
    const all = { caller: null, tier: null, outcome: null, since: null, tool: null, search: null };
    expect(narrowed(NO_FILTERS, now)).toEqual(all);
    expect(
      narrowed({ show: "changes", caller: "you", since: "24", search: " calc " }, now),
    ).toEqual({
      ...all,
      caller: "you",
      tier: "changes",
      since: "2026-11-21T12:00:00.000Z",
      search: "calc",
    });
    expect(narrowed({ ...NO_FILTERS, show: "problems" }, now)).toEqual({
      ...all,
      outcome: "failed",
    });
    expect([
      permissionLabel(null),
      permissionLabel("always"),
      permissionLabel("something new"),
    ]).toEqual(["", "always allowed", "something new"]);
  });
  it("is exported as it is narrowed, and says what did not fit", async () => {
    const [transport, state] = await open("activity", undefined, {
      "activity.export": () => ({ name: "a.csv", content: "x", entries: 1, left_out: 3 }),
    });
    await userEvent.click(await screen.findByRole("button", { name: "Save as file" }));
    await userEvent.click(await screen.findByRole("menuitem", { name: "Save as CSV" }));
    await waitFor(() =>
      expect(state.ui.toasts.map((one) => one.text)).toContain(
        "Saved the newest 1 entries; 3 older ones did not fit.",
      ),
    );
    expect(transport.called("activity.export")).toEqual([
      {
        format: "csv",
        caller: null,
        tier: null,
        outcome: null,
        since: null,
        tool: null,
        search: null,
      },
    ]);
  });
});
