/**
 * Knowledge: search, browsing, enabling sources and adding profiles; skills; the sources of an
 * answer.
 */
import { fireEvent, render, screen, waitFor, within } from "@testing-library/svelte";
import { describe, expect, it } from "vitest";
import { splitAtMarks } from "$features/chat/markdown/marks";
import { progressShare, describeProgress } from "$features/knowledge/words";
import { describeOrigin } from "$features/skills/words";
import { Client } from "$lib/client/client";
import type {
  Chunk,
  CitedChunk,
  FetchedSkill,
  ScoredChunk,
  KnowledgeSource,
  KnowledgeView,
  SkillView,
} from "$lib/client/types";
import { readAsBase64, formatSize } from "$lib/files";
import {
  splitAtMatches,
  sourceGroups,
  describeIndexStatus,
  classifyRelevance,
  excerptOf,
  explainMatch,
} from "$lib/knowledge";
import type { ViewParams, ViewWithParams } from "$lib/state/navigation";
import { createState, type State } from "$lib/state/state";
import { Refusal, type FakeTransport, type Handlers } from "$lib/transport/fake";
import App from "../src/App.svelte";
import "./load-views";
import { chatView, fakeConductor, message, text } from "./sample";

const chunk = (id: string, over: Partial<Chunk> = {}): Chunk => ({
  id,
  domain: "midi",
  source: "midi/cc",
  source_title: "Control changes",
  section_path: ["Control changes", "CC 64: sustain"],
  content: "CC 64 is the **sustain pedal**.",
  revision: "4.2.1",
  licence: "Facts in our own words.",
  reference: "MIDI 1.0 Detailed Specification",
  ask: [],
  tokens: 12,
  platform: null,
  device: null,
  layer: "L2",
  own: false,
  grade: null,
  page: null,
  ...over,
});
const found = (id: string, score: number, over: Partial<Chunk> = {}): ScoredChunk => ({
  chunk: chunk(id, over),
  score,
  lexical: 1,
  dense: 1,
  matched: ["sustain", "pedal", "frequenc"],
  names_source: false,
});
const source = (id: string, over: Partial<KnowledgeSource> = {}): KnowledgeSource => ({
  id,
  title: id,
  domain: "midi",
  platform: null,
  chunks: 3,
  enabled: true,
  revision: "",
  licence: "",
  reference: "",
  own: false,
  ...over,
});
const SOURCES = [
  source("midi/cc", { title: "Control changes" }),
  source("midi/sysex"),
  source("platform/linux", { domain: "platform", platform: "linux" }),
  source("device/akai", { domain: "device", chunks: 1 }),
];
const VIEW: KnowledgeView = {
  status: {
    built: true,
    chunks: 540,
    domains: { midi: 500, osc: 40, artnet: 0 },
    size_bytes: 2_300_000,
    built_at: "2026-11-21T12:00:00Z",
    fingerprint: "f",
    model: true,
    community: "the Hub is not asked",
    store: "exact",
    store_reason: "",
    problem: "",
  },
  updating: false,
  enabled: true,
  community: false,
  hub: "",
};
const skill = (name: string, over: Partial<SkillView> = {}): SkillView => ({
  name,
  description: `About ${name}`,
  origin: "conductor",
  source: null,
  installed_at: null,
  folder: `/skills/${name}`,
  enabled: true,
  ...over,
});

async function open<V extends ViewWithParams>(
  view: V,
  params?: ViewParams[V],
  over: Handlers = {},
): Promise<{ transport: FakeTransport; state: State }> {
  const transport = fakeConductor({
    "knowledge.status": () => VIEW,
    "knowledge.sources": () => ({ sources: SOURCES }),
    "knowledge.search": () => ({ found: [] }),
    ...over,
  });
  const client = new Client(transport);
  const state = createState(client);
  state.ui.navigate(view, params);
  client.start();
  render(App, { props: { state } });
  return { transport, state };
}
const search = async (words: string): Promise<void> =>
  void (await fireEvent.input(
    await screen.findByRole("searchbox", { name: "Search the knowledge base" }),
    { target: { value: words } },
  ));

describe("words", () => {
  it("says how well a piece fits", () => {
    expect([0.98, 0.75, 0.6, 0.45, 0.2].map(classifyRelevance)).toEqual([
      "strong",
      "strong",
      "fair",
      "fair",
      "weak",
    ]);
  });
  it("marks words by their stems, and numbers only whole", () => {
    const hits = (text: string, stems: string[]) =>
      splitAtMatches(text, stems)
        .filter((piece) => piece.hit)
        .map((piece) => piece.text);
    expect(
      hits("Pedals and pedalling, happy, CC 64 and 640", ["pedal", "happi", "cc", "64"]),
    ).toEqual(["Pedals", "pedalling", "happy", "CC", "64"]);
    expect(hits("incorporate", ["in"])).toEqual([]);
    expect(splitAtMatches("as it is", []).map((piece) => piece.text)).toEqual(["as it is"]);
  });
  it("tells the words that were written from those that mean the same", () => {
    const text = "Dampers change the sound";
    expect(
      explainMatch(
        ["sustain", "damper", "pedal", "chang", "frequenc"],
        "which Pedals sustain?",
        text,
      ),
    ).toEqual({
      written: ["sustain", "Pedals"],
      meant: ["dampers", "change"],
    });
  });
  it("begins with words, not with code, unless there is nothing else", () => {
    const code = "```toml\n[[modes.mappings]]\n```";
    expect(excerptOf(`${code}\n\nMaps **one** pad.\n- fast`)).toBe("Maps one pad. fast");
    expect(excerptOf(code)).toBe("[[modes.mappings]]");
  });
  it("says what there is of the index", () => {
    expect(describeIndexStatus(VIEW.status)).toBe("540 sections indexed in 2 domains");
    expect(describeIndexStatus({ ...VIEW.status, built: false })).toBe("Index not built");
    expect([formatSize(2_300_000), formatSize(2_300), formatSize(8)]).toEqual([
      "2.3 MB",
      "2 kB",
      "8 bytes",
    ]);
    expect([
      describeProgress({ updating: true, step: "embed", done: 25, of: 100 }),
      progressShare({ updating: true, step: "embed", done: 25, of: 100 }),
    ]).toEqual(["Comparing meanings: 25 of 100", 0.25]);
    expect([
      describeProgress({ updating: true, step: "", done: 0, of: 0 }),
      progressShare({ updating: true, step: "read", done: 0, of: 1 }),
    ]).toEqual(["Updating the index", undefined]);
  });
  it("puts sources together by domain, and platforms one by one", () => {
    expect(
      sourceGroups(SOURCES).map(({ id, title, chunks, on }) => [id, title, chunks, on]),
    ).toEqual([
      ["midi", "MIDI Spec", 6, 2],
      ["platform:linux", "Platform (Linux)", 3, 1],
      ["device", "Device Profiles", 1, 1],
    ]);
  });
  it("says where a skill is from", async () => {
    expect([
      describeOrigin(skill("a")),
      describeOrigin(skill("a", { origin: "user" })),
      describeOrigin(skill("a", { origin: "user", source: "github:o/r/p" })),
      describeOrigin(skill("a", { origin: "user", source: "folder:/home/me/s" })),
    ]).toEqual([
      "Included with Conductor",
      "Added by you",
      "Installed from github:o/r/p",
      "Installed from /home/me/s",
    ]);
    expect(await readAsBase64(new Blob([new Uint8Array([80, 75, 3, 4])]))).toBe("UEsDBA==");
  });
});

describe("the Knowledge view", () => {
  it("finds sections, says how well they fit and why, and reads the best", async () => {
    const { transport } = await open("knowledge", undefined, {
      "knowledge.search": () => ({
        found: [found("a", 0.9), found("b", 0.3, { section_path: ["Other"], grade: "one_source" })],
      }),
    });
    await search("sustain");
    const results = await screen.findByRole("listbox", { name: "Results" });
    expect(
      within(results)
        .getAllByRole("option")
        .map((one) => one.textContent?.match(/strong|fair|weak/)?.[0]),
    ).toEqual(["strong", "weak"]);
    const read = screen.getByRole("article", { name: "CC 64: sustain" });
    expect(read.textContent).toContain("Matching words: sustain, and related words: pedal");
    expect(read.textContent).toContain("4.2.1");
    expect([...read.querySelectorAll(".text mark")].map((mark) => mark.textContent)).toEqual([
      "sustain",
      "pedal",
    ]);
    await fireEvent.keyDown(results, { key: "ArrowDown" });
    expect((await screen.findByRole("article", { name: "Other" })).textContent).toContain(
      "one source",
    );
    expect(transport.called("knowledge.search")).toEqual([{ query: "sustain", domain: null }]);
  });
  it("folds the results that fit weakly, and shows them when asked", async () => {
    const scores = [0.9, 0.5, 0.4, 0.3, 0.2];
    await open("knowledge", undefined, {
      "knowledge.search": () => ({ found: scores.map((score, at) => found(`s${at}`, score)) }),
    });
    await search("sustain");
    const results = await screen.findByRole("listbox", { name: "Results" });
    expect(within(results).getAllByRole("option")).toHaveLength(3);
    await fireEvent.click(screen.getByRole("button", { name: "Show 2 weaker results" }));
    expect(within(results).getAllByRole("option")).toHaveLength(5);
    await waitFor(() => expect(document.activeElement).toBe(results));
  });
  it("keeps the focus in the search when Enter finds nothing", async () => {
    await open("knowledge", undefined, {
      "knowledge.search": ({ query }: { query: string }) => ({
        found: query === "sustain" ? [found("a", 0.9)] : [],
      }),
    });
    await search("sustain");
    await screen.findByRole("listbox", { name: "Results" });
    const field = await screen.findByRole("searchbox", { name: "Search the knowledge base" });
    field.focus();
    await search("xyzzy");
    await fireEvent.keyDown(field, { key: "Enter" });
    await screen.findByText("No relevant results");
    expect(document.activeElement).toBe(field);
  });
  it("keeps an opened page when the sources change and the search is repeated", async () => {
    let deliver: (() => void) | undefined;
    const page = {
      manual_id: "manual/minitaur",
      title: "Minitaur",
      page: 2,
      pages: 4,
      text: "Filter resonance",
      is_pdf: true,
    };
    const { transport } = await open("knowledge", undefined, {
      "knowledge.search": () => ({
        found: [found("a", 0.9, { source: "manual/minitaur", domain: "manual", page: 2 })],
      }),
      "manuals.page": () => new Promise((resolve) => (deliver = () => resolve(page))),
    });
    const repeatSearch = async (): Promise<void> => {
      const before = transport.called("knowledge.search").length;
      transport.push(["knowledge", { updating: false, step: "", done: 0, of: 0 }]);
      await waitFor(() =>
        expect(transport.called("knowledge.search").length).toBeGreaterThan(before),
      );
    };
    await search("filter");
    await fireEvent.click(await screen.findByRole("button", { name: "Show page 2" }));
    await repeatSearch();
    deliver!();
    expect(await screen.findByText("Filter resonance")).toBeTruthy();
    await repeatSearch();
    expect(await screen.findByText("Filter resonance")).toBeTruthy();
  });
  it("looks in one domain when one is chosen", async () => {
    const { transport } = await open("knowledge", { kind: "search", query: "pads" });
    await screen.findByText("No relevant results");
    await fireEvent.click(screen.getByRole("radio", { name: "Devices" }));
    await waitFor(() =>
      expect(transport.called("knowledge.search").at(-1)).toEqual({
        query: "pads",
        domain: "device",
      }),
    );
    await fireEvent.click(await screen.findByRole("button", { name: "Search all domains" }));
    await waitFor(() =>
      expect(transport.called("knowledge.search").at(-1)).toEqual({ query: "pads", domain: null }),
    );
  });
  it("opens a document by the arrows, and its sections", async () => {
    await open("knowledge", undefined, {
      "knowledge.document": () => ({
        source: SOURCES[0],
        chunks: [
          chunk("a"),
          chunk("b", { section_path: ["Control changes", "CC 7"], content: "The volume." }),
        ],
      }),
    });
    await fireEvent.keyDown(await screen.findByRole("listbox", { name: "Documents" }), {
      key: "ArrowDown",
    });
    await fireEvent.click(await screen.findByRole("button", { name: "CC 7" }));
    expect(screen.getByText("The volume.")).toBeTruthy();
  });
  it("opens the section that another view names", async () => {
    const { transport } = await open(
      "knowledge",
      { kind: "chunk", chunk_id: "midi/cc#64" },
      { "knowledge.chunk": () => chunk("midi/cc#64") },
    );
    expect(await screen.findByRole("article", { name: "CC 64: sustain" })).toBeTruthy();
    expect(transport.called("knowledge.chunk")).toEqual([{ chunk_id: "midi/cc#64" }]);
  });
  it("starts a new mapping with the mapping of a recipe", async () => {
    const mapping = {
      ...{ description: "push to talk", enabled: true },
      trigger: { type: "Note", note: 36 },
      action: { type: "Keystroke", keys: ["f13"] },
    };
    const words = {
      ...{ trigger: "Note 36", action: "F13", numbers: "", printed: "" },
      badges: [],
    };
    const recipe = chunk("conductor/recipes#1", { content: "```toml\n[[modes.mappings]]\n```" });
    const { transport } = await open(
      "knowledge",
      { kind: "chunk", chunk_id: recipe.id },
      {
        "knowledge.chunk": () => recipe,
        "knowledge.mappings": () => ({
          mappings: [{ mapping, words: { ...words, device: null, controls: [] } }],
        }),
      },
    );
    await fireEvent.click(await screen.findByRole("button", { name: /push to talk/ }));
    expect(transport.called("knowledge.mappings")).toEqual([{ chunk_id: recipe.id }]);
    expect(await screen.findByDisplayValue("push to talk")).toBeTruthy();
  });
  it("offers to make the index when there is none", async () => {
    let built = false;
    const { transport } = await open("knowledge", undefined, {
      "knowledge.status": () =>
        built ? VIEW : { ...VIEW, status: { ...VIEW.status, built: false } },
      "knowledge.update_index": () => (
        (built = true),
        { status: VIEW.status, vectors: 0, reused: 0, warnings: [] }
      ),
    });
    await fireEvent.click(await screen.findByRole("button", { name: "Build index" }));
    transport.push(["knowledge", { updating: false, step: "", done: 0, of: 0 }]);
    expect(await screen.findByRole("listbox", { name: "Documents" })).toBeTruthy();
  });
});

describe("Settings, Knowledge Sources", () => {
  it("says why a manual waits, and what to do", async () => {
    const manual = {
      id: "manual/minitaur",
      title: "Minitaur",
      file_name: "minitaur.pdf",
      state: "waiting",
      problem:
        "Conductor cannot index manuals now: the process for it ended with code 1; restart Conductor",
      pages: 0,
      done_pages: 0,
      chunks: 0,
      parameters: 0,
      size_bytes: 1,
      added_at: "",
    };
    await open(
      "settings",
      { kind: "page", page: "knowledge" },
      {
        "manuals.list": () => ({ manuals: [manual] }),
      },
    );
    const row = (await screen.findByText("Minitaur")).closest("li")!;
    expect(row.textContent).toContain("Waiting. Conductor cannot index manuals now");
    expect(row.textContent).toContain("restart Conductor");
  });
  it("switches a domain, and shows what Conductor made of it", async () => {
    const off = SOURCES.map((one) => (one.domain === "midi" ? { ...one, enabled: false } : one));
    const { transport } = await open(
      "settings",
      { kind: "page", page: "knowledge" },
      { "knowledge.toggle_source": () => ({ sources: off }) },
    );
    const midi = await screen.findByRole("switch", { name: "MIDI Spec" });
    await fireEvent.click(midi);
    await waitFor(() => expect(midi.getAttribute("aria-checked")).toBe("false"));
    expect(transport.called("knowledge.toggle_source")).toEqual([
      { source_id: "midi", enabled: false },
    ]);
  });
  it("leaves a switch as it was when Conductor refuses", async () => {
    const refuse = () => {
      throw new Refusal({ code: "not_available", message: "This is the demo." });
    };
    await open(
      "settings",
      { kind: "page", page: "knowledge" },
      { "knowledge.toggle_source": refuse },
    );
    const midi = await screen.findByRole("switch", { name: "MIDI Spec" });
    await fireEvent.click(midi);
    expect(await screen.findByText("This is the demo.")).toBeTruthy();
    expect(midi.getAttribute("aria-checked")).toBe("true");
  });
  it("shows how far the making of the index is, and its end", async () => {
    const { transport } = await open("settings", { kind: "page", page: "knowledge" });
    const update = await screen.findByRole("button", { name: "Update index" });
    transport.push(["knowledge", { updating: true, step: "embed", done: 50, of: 200 }]);
    expect(await screen.findByText("Comparing meanings: 50 of 200")).toBeTruthy();
    expect(
      screen.getByRole("progressbar", { name: "Updating the index" }).getAttribute("aria-valuenow"),
    ).toBe("25");
    expect(update.getAttribute("aria-disabled")).toBe("true");
    transport.push(["knowledge", { updating: false, step: "", done: 0, of: 0 }]);
    await waitFor(() => expect(update.hasAttribute("aria-disabled")).toBe(false));
    expect(screen.getByText(/^Last updated /)).toBeTruthy();
  });
  it("asks no Hub until it is told to, and says what that gives away", async () => {
    const { transport } = await open("settings", { kind: "page", page: "knowledge" });
    const community = await screen.findByRole("switch", { name: "Community knowledge" });
    expect(community.getAttribute("aria-checked")).toBe("false");
    expect(screen.getByText(/not anonymous: much of the text can be reconstructed/)).toBeTruthy();
    await fireEvent.click(community);
    const address = screen.getByRole("textbox", { name: "Hub address" });
    await fireEvent.input(address, { target: { value: "https://hub.example.org" } });
    await fireEvent.change(address);
    await waitFor(() =>
      expect(
        transport
          .called("config.commit")
          .map((call) => (call as { changes: { settings: unknown }[] }).changes[0]!.settings),
      ).toEqual([
        { knowledge: { community: true } },
        { knowledge: { hub: "https://hub.example.org" } },
      ]),
    );
  });
  it("takes a device profile from a file, and says what is wrong with one", async () => {
    let refused = true;
    const { transport } = await open(
      "settings",
      { kind: "page", page: "knowledge" },
      {
        "knowledge.add_profile": () => {
          if (refused)
            throw new Refusal({
              code: "params_invalid",
              message: "profile.toml cannot be used:\n`maker` is missing",
            });
          return { profile_id: "x", source_id: "device/x", title: "Acme X", chunks: 2 };
        },
      },
    );
    const field = await screen.findByLabelText<HTMLInputElement>("Device profile");
    await fireEvent.change(field, { target: { files: [new File(["id = 1"], "x.toml")] } });
    expect((await screen.findByRole("alert")).textContent).toContain("maker is missing");
    refused = false;
    await fireEvent.drop(screen.getByRole("group", { name: "Add device profile" }), {
      dataTransfer: { files: [new File(["id = 2"], "x.toml")] },
    });
    expect(await screen.findByText("Added Acme X: 2 sections")).toBeTruthy();
    expect(screen.queryByRole("alert")).toBeNull();
    expect(transport.called("knowledge.add_profile")).toEqual([
      { text: "id = 1" },
      { text: "id = 2" },
    ]);
  });
  it("lists the profiles that the user imported, and removes one if confirmed", async () => {
    const line = { id: "acme-x", title: "Acme X", kind: "pads", summary: "8 pads.", own: true };
    let profiles = [line, { ...line, id: "akai", title: "Akai", own: false }];
    const { transport } = await open(
      "settings",
      { kind: "page", page: "knowledge" },
      {
        "devices.profiles": () => ({ profiles, fits: [] }),
        "knowledge.remove_profile": () => {
          profiles = [];
          return {};
        },
      },
    );
    const list = await screen.findByRole("list", { name: "Your device profiles" });
    expect(list.textContent).toContain("Acme X");
    expect(list.textContent).not.toContain("Akai");
    await fireEvent.click(screen.getByRole("button", { name: "Remove…" }));
    await fireEvent.click(await screen.findByRole("button", { name: "Remove" }));
    await waitFor(() =>
      expect(transport.called("knowledge.remove_profile")).toEqual([{ profile_id: "acme-x" }]),
    );
    transport.push(["knowledge", { updating: false, step: "", done: 0, of: 0 }]);
    await waitFor(() =>
      expect(screen.queryByRole("list", { name: "Your device profiles" })).toBeNull(),
    );
  });
});

describe("Settings, Agent Skills", () => {
  const SKILLS = {
    skills: [skill("mapping"), skill("looper", { origin: "user", source: "github:o/r/looper" })],
    broken: [{ name: "bad", problem: "SKILL.md is missing" }],
  };
  const FETCHED: FetchedSkill = {
    name: "new-one",
    description: "Does a thing",
    source: "folder:/tmp/new-one",
    digest: "sha256:1",
    text: "# New\n\nDo it.",
    files: [],
    advice: [],
    replaces: false,
  };
  it("are switched, read and, when they are one's own, removed", async () => {
    const { transport } = await open(
      "settings",
      { kind: "page", page: "skills" },
      {
        "skills.list": () => SKILLS,
        "skills.toggle": () => ({ ...SKILLS, skills: [skill("mapping", { enabled: false })] }),
        "skills.show": ({ name }: { name: string }) => ({
          skill: SKILLS.skills.find((one) => one.name === name),
          text: "# Loops\n\nRead me.",
          files: [{ path: "references/a.md", size_bytes: 12 }],
        }),
        "skills.remove": () => ({ skills: [], broken: [] }),
      },
    );
    expect(await screen.findByText(/cannot be used: SKILL.md is missing/)).toBeTruthy();
    await fireEvent.click(screen.getByRole("button", { name: /^looper/ }));
    expect(await screen.findByText("Read me.")).toBeTruthy();
    await fireEvent.click(screen.getByRole("button", { name: "Remove…" }));
    await fireEvent.click(await screen.findByRole("button", { name: "Remove" }));
    expect(await screen.findByText("No skills")).toBeTruthy();
    expect(transport.called("skills.remove")).toEqual([{ name: "looper" }]);
  });
  it("are shown before they are installed, and only what was shown is", async () => {
    const { transport } = await open(
      "settings",
      { kind: "page", page: "skills" },
      {
        "skills.list": () => SKILLS,
        "skills.fetch": () => FETCHED,
        "skills.install": () => ({ skills: [skill("new-one", { origin: "user" })], broken: [] }),
      },
    );
    await fireEvent.click(await screen.findByRole("button", { name: "Install skill" }));
    await fireEvent.input(
      await screen.findByRole("textbox", { name: "Folder, archive or address" }),
      { target: { value: " /tmp/new-one " } },
    );
    await fireEvent.submit(document.getElementById("install-skill")!);
    expect(await screen.findByText("Do it.")).toBeTruthy();
    expect(transport.called("skills.install")).toEqual([]);
    const install = screen.getByRole("button", { name: "Install" });
    await waitFor(() => expect(install).toHaveProperty("disabled", false));
    await fireEvent.click(install);
    await waitFor(() => expect(document.querySelector('[data-skill="new-one"]')).toBeTruthy());
    expect(transport.called("skills.install")).toEqual([
      { source: "/tmp/new-one", digest: "sha256:1" },
    ]);
  });
});

describe("sources of an answer", () => {
  const cited: CitedChunk = {
    number: 3,
    id: "midi/cc#64",
    section_path: ["Control changes", "CC 64"],
    source: "midi/cc",
    source_title: "Control changes",
    domain: "midi",
    score: 0.9,
    layer: "L2",
    grade: null,
    page: null,
  };
  it("are linked where the model was given them, and left out where it was not", () => {
    const marks = {
      cites: () => true,
      cited: (number: number) => (number === 3 ? cited : undefined),
    };
    expect(splitAtMarks("It is 64 [K3, K9]. Sure [K7].", marks)).toEqual([
      { kind: "text", text: "It is 64" },
      { kind: "cite", chunk: cited },
      { kind: "text", text: ". Sure" },
      { kind: "text", text: "." },
    ]);
    expect(splitAtMarks("a pad called [K3]", {})).toEqual([
      { kind: "text", text: "a pad called [K3]" },
    ]);
  });
  it("are shown when the answer cites them; the others are folded, and a greeting has none", async () => {
    const other = { ...cited, number: 4, id: "midi/cc#7", section_path: ["Volume"] };
    const given = { type: "knowledge" as const, chunks: [cited, other], tokens: 40, problem: "" };
    await open(
      "chat",
      { kind: "conversation", conversation_id: "c1" },
      {
        "chat.open": () =>
          chatView(
            message("m1", { parts: [text("Which?")] }),
            message("m2", { role: "assistant", parts: [given, text("It is CC 64 [K3].")] }),
            message("m3", { parts: [text("hello")] }),
            message("m4", { role: "assistant", parts: [given, text("Hello!")] }),
          ),
      },
    );
    const list = await screen.findByRole("list", { name: "Sources" });
    expect(list.querySelectorAll("li")).toHaveLength(1);
    await fireEvent.click(screen.getByRole("button", { name: "1 more, not cited" }));
    expect(screen.getByRole("list", { name: "Other sources" }).textContent).toContain("Volume");
  });
  it("stand under it, tell their text when they are focused, and open it", async () => {
    const answer = message("m2", {
      role: "assistant",
      parts: [
        { type: "knowledge", chunks: [cited], tokens: 40, problem: "" },
        text("Sustain is **CC 64** [K3]."),
      ],
    });
    const { state } = await open(
      "chat",
      { kind: "conversation", conversation_id: "c1" },
      {
        "chat.open": () => chatView(message("m1", { parts: [text("Which?")] }), answer),
        "knowledge.chunk": () => chunk("midi/cc#64"),
      },
    );
    const chip = await screen.findByRole("button", {
      name: "Source 3: Control changes › CC 64, strong match",
    });
    expect(
      screen.getByRole("button", { name: "Source 3: Control changes › CC 64" }).textContent,
    ).toBe("3");
    await fireEvent.focus(chip);
    await waitFor(() =>
      expect(screen.getByRole("tooltip").textContent).toContain("CC 64 is the sustain pedal."),
    );
    await fireEvent.click(chip);
    expect(state.ui.paramsOf("knowledge")).toEqual({ kind: "chunk", chunk_id: "midi/cc#64" });
  });
});
