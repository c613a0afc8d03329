/** Settings, Providers: the default provider, write-only keys, connection tests and daily costs. */
import { fireEvent, render, screen, waitFor, within } from "@testing-library/svelte";
import { describe, expect, it } from "vitest";
import { describeBar, dayBars } from "$features/providers/costs";
import {
  canStoreKeys,
  freeName,
  describeKeyPlace,
  describeModel,
  moveItem,
  passphraseProblems,
  PRESETS,
  STATES,
} from "$features/providers/words";
import { formatDollars, formatTokens } from "$lib/amounts";
import { Client } from "$lib/client/client";
import type { KeysState, LlmSettings, ModelInfo, ProviderView, UsageView } from "$lib/client/types";
import { createState } from "$lib/state/state";
import { Refusal, type FakeTransport, type Handlers } from "$lib/transport/fake";
import App from "../src/App.svelte";
import "./load-views";
import { CONFIG, fakeConductor } from "./sample";

const KEY = "sk-ant-0123456789";
const provider = (name: string, over: Partial<ProviderView> = {}): ProviderView => ({
  name,
  kind: "anthropic",
  label: name,
  enabled: true,
  written: false,
  usable: false,
  needs_key: true,
  has_key: false,
  base_url: "",
  model: "m",
  usual_env: "",
  key_url: "",
  state: "key_missing",
  key_place: null,
  key_variable: null,
  ...over,
});
const READY = { usable: true, has_key: true, state: "untested", key_place: "keychain" } as const;
const KEYS: KeysState = {
  place: "keychain",
  locked: false,
  words: "Keys are kept in the keychain of this computer.",
  keychain: "open",
  file: "/home/me/keys.enc",
  file_exists: false,
};
const NONE: KeysState = {
  ...KEYS,
  place: "environment",
  keychain: "absent",
  words: "This computer has no keychain that works.",
};
const MODEL: ModelInfo = {
  model: "m-large",
  label: "M Large",
  capabilities: {
    tools: true,
    streaming: true,
    images: true,
    thinking: false,
    temperature: true,
    context_tokens: 1_000_000,
    output_tokens: 8_000,
    known_from: "table",
  },
  input_usd_per_mtok: 2,
  output_usd_per_mtok: 10,
  retires_at: null,
};
const LLM = {
  enabled: true,
  default_provider: null,
  providers: {},
  failover: [],
  max_steps: 12,
  budget: { warn_usd_per_day: 1, stop_usd_per_day: null, stop_usd_per_conversation: null },
} as unknown as LlmSettings;
const line = (name: string, cost_usd: number | null, requests = 1) => ({
  name,
  label: name,
  unpriced_requests: cost_usd === null ? requests : 0,
  usage: {
    requests,
    input_tokens: 1_000,
    cache_read_tokens: 0,
    cache_write_tokens: 0,
    output_tokens: 10,
    cost_usd,
    cost_from: null,
  },
});
const USAGE: UsageView = {
  today_usd: 0.5,
  prices_updated_at: null,
  first_day: "2026-11-18",
  last_day: "2026-11-21",
  costs: {
    total: line("total", 0.75, 3),
    days: [line("2026-11-19", 0.25), line("2026-11-21", 0.5, 2)],
    providers: [line("openai", 0.75)],
    models: [line("m", 0.75)],
    conversations: [line("", 0.75)],
  },
};

async function open(over: Handlers = {}, llm: Partial<LlmSettings> = {}): Promise<FakeTransport> {
  const config = { ...CONFIG, config: { ...CONFIG.config, llm: { ...LLM, ...llm } } };
  const transport = fakeConductor({
    "config.get": () => config,
    "providers.list": () => ({
      providers: [provider("anthropic"), provider("openai", READY)],
      order: ["openai"],
      keys: KEYS,
    }),
    "providers.models": () => ({ models: [MODEL] }),
    "usage.summary": () => USAGE,
    ...over,
  });
  const client = new Client(transport);
  const state = createState(client);
  state.ui.navigate("settings", { kind: "page", page: "providers" });
  client.start();
  render(App, { props: { state } });
  await screen.findByRole("region", { name: "Costs" });
  return transport;
}
const card = async (name: string): Promise<HTMLElement> => {
  await fireEvent.click(await screen.findByRole("button", { name: new RegExp(`^${name}`) }));
  return document.querySelector<HTMLElement>(`[data-provider="${name}"]`)!;
};
const commits = (transport: FakeTransport): unknown[] =>
  transport
    .called("config.commit")
    .flatMap((call) =>
      (call as { changes: { settings: unknown }[] }).changes.map((change) => change.settings),
    );

describe("words", () => {
  it("says where a key is, and never more of it", () => {
    expect(describeKeyPlace(provider("a", READY))).toBe("Saved in your keychain");
    expect(
      describeKeyPlace(
        provider("a", { ...READY, key_place: "environment", key_variable: "MY_KEY" }),
      ),
    ).toBe("From the environment variable `MY_KEY`");
    expect([
      canStoreKeys(KEYS),
      canStoreKeys(NONE),
      canStoreKeys({ ...KEYS, locked: true }),
    ]).toEqual([true, false, false]);
  });
  it("gives a model's window and price, as far as they are known", () => {
    expect(describeModel(MODEL)).toBe(
      "1 M context · $2.00 in, $10.00 out per million tokens · reads images",
    );
    expect(
      describeModel({
        ...MODEL,
        input_usd_per_mtok: null,
        capabilities: { ...MODEL.capabilities, images: false, tools: false, known_from: "assumed" },
      }),
    ).toBe("price unknown · no tools");
    expect([
      formatDollars(null),
      formatDollars(0),
      formatDollars(0.0001),
      formatDollars(0.034),
      formatDollars(2.5),
      formatTokens(1_234),
    ]).toEqual(["unknown", "$0.00", "under $0.001", "$0.034", "$2.50", "1.2 k"]);
  });
  it("finds a free name", () => {
    expect([
      freeName("LM Studio", []),
      freeName("Ollama", ["ollama", "ollama-2"]),
      freeName("  ", []),
    ]).toEqual(["lm-studio", "ollama-3", "server"]);
  });
  it("moves one place among others", () => {
    expect([
      moveItem(["a", "b", "c"], 0, 2),
      moveItem(["a", "b", "c"], 2, 0),
      moveItem(["a"], 3, 0),
    ]).toEqual([["b", "c", "a"], ["c", "a", "b"], ["a"]]);
  });
  it("has a bar for every day, the dearest one the highest", () => {
    expect(dayBars(USAGE).map(({ day, usd, share }) => [day, usd, share])).toEqual([
      ["2026-11-18", 0, 0],
      ["2026-11-19", 0.25, 0.5],
      ["2026-11-20", 0, 0],
      ["2026-11-21", 0.5, 1],
    ]);
  });
});

describe("providers", () => {
  it("come in the order that Conductor gives", async () => {
    const providers = [
      provider("openrouter", READY),
      provider("openai", READY),
      provider("google", READY),
      provider("anthropic"),
    ];
    await open(
      { "providers.list": () => ({ providers, order: ["openrouter", "openai"], keys: KEYS }) },
      { default_provider: "openrouter", failover: ["openai", "anthropic"] },
    );
    expect(
      [...document.querySelectorAll("[data-provider]")].map((one) =>
        one.getAttribute("data-provider"),
      ),
    ).toEqual(["openrouter", "openai", "google", "anthropic"]);
    expect(document.querySelector('[data-name="anthropic"]')?.textContent).toContain("Skipped");
  });
  it("take a key, hold it no longer than that, and say where it is kept", async () => {
    let kept = false;
    const transport = await open({
      "keys.put": () => ((kept = true), KEYS),
      "providers.list": () => ({
        providers: [provider("anthropic", kept ? READY : {})],
        order: [],
        keys: KEYS,
      }),
    });
    const anthropic = await card("anthropic");
    const field = within(anthropic).getByLabelText<HTMLInputElement>("Key of anthropic");
    expect(field.type).toBe("password");
    await fireEvent.input(field, { target: { value: KEY } });
    await fireEvent.click(within(anthropic).getByRole("button", { name: "Save" }));
    await within(anthropic).findByText("Saved in your keychain");
    expect(transport.called("keys.put")).toEqual([{ name: "anthropic", api_key: KEY }]);
    expect(document.body.innerHTML).not.toContain(KEY);
    expect([...document.querySelectorAll("input")].some((input) => input.value.includes(KEY))).toBe(
      false,
    );
  });
  it("keep the focus off the model once a key was saved, and do not select its name", async () => {
    let kept = false;
    await open({
      "keys.put": () => ((kept = true), KEYS),
      "providers.list": () => ({
        providers: [provider("anthropic", kept ? READY : {})],
        order: [],
        keys: KEYS,
      }),
    });
    const anthropic = await card("anthropic");
    const field = within(anthropic).getByLabelText("Key of anthropic");
    field.focus();
    await fireEvent.input(field, { target: { value: KEY } });
    await fireEvent.submit(field.closest("form")!);
    const replace = await within(anthropic).findByRole("button", { name: "Replace" });
    await waitFor(() => expect(document.activeElement).toBe(replace));
    const model = within(anthropic).getByLabelText<HTMLInputElement>("Model of anthropic");
    model.focus();
    expect(model.selectionStart).toBe(model.selectionEnd);
  });
  it("say why a key was not taken", async () => {
    const refuse = () => {
      throw new Refusal({ code: "params_invalid", message: "this is no key" });
    };
    await open({ "keys.put": refuse });
    const anthropic = await card("anthropic");
    await fireEvent.input(within(anthropic).getByLabelText("Key of anthropic"), {
      target: { value: "two words" },
    });
    await fireEvent.click(within(anthropic).getByRole("button", { name: "Save" }));
    expect((await within(anthropic).findByRole("alert")).textContent).toBe("This is no key");
  });
  it("are not said to work before they answered", async () => {
    expect(
      Object.entries(STATES)
        .filter(([, { tone }]) => tone === "fired")
        .map(([state]) => state),
    ).toEqual(["works"]);
    let works = false;
    await open({
      "providers.list": () => ({
        providers: [provider("openai", { ...READY, state: works ? "works" : "untested" })],
        order: ["openai"],
        keys: KEYS,
      }),
      "providers.test": () => (
        (works = true),
        { ok: true, message: "It answers.", latency_ms: null, failure: null }
      ),
    });
    const openai = await card("openai");
    expect(openai.textContent).toContain("Not tested yet");
    await fireEvent.click(within(openai).getByRole("button", { name: "Test connection" }));
    expect(await within(openai).findByText("Works")).toBeTruthy();
  });
  it("tell how a test of the connection went", async () => {
    let ok = true;
    await open({
      "providers.test": () =>
        ok
          ? { ok, message: "It answers.", latency_ms: 181.6, failure: null }
          : { ok, message: "The `key` was not accepted.", latency_ms: null, failure: null },
    });
    const openai = await card("openai");
    const test = within(openai).getByRole("button", { name: "Test connection" });
    await fireEvent.click(test);
    await waitFor(() =>
      expect(within(openai).getByRole("status").textContent).toBe("It answers. 182 ms"),
    );
    ok = false;
    await fireEvent.click(test);
    await waitFor(() =>
      expect(within(openai).getByRole("status").textContent).toBe("The key was not accepted."),
    );
  });
  it("are asked for their models once, and the model is saved on blur", async () => {
    const transport = await open();
    const openai = await card("openai");
    await waitFor(() => expect(transport.called("providers.models")).toEqual([{ name: "openai" }]));
    const model = within(openai).getByLabelText("Model of openai");
    for (const value of ["m-large", "my-model"])
      await fireEvent.input(model, { target: { value } });
    expect(commits(transport)).toEqual([]);
    await fireEvent.focusOut(model);
    // The server does not list the name.
    const question = await screen.findByRole("dialog", { name: "Use the model “my-model”?" });
    expect(commits(transport)).toEqual([]);
    await fireEvent.click(within(question).getByRole("button", { name: "Use this model" }));
    await waitFor(() =>
      expect(commits(transport)).toEqual([
        { llm: { providers: { openai: { model: "my-model" } } } },
      ]),
    );
  });
  it("are switched off, made the default and ordered by the config", async () => {
    const transport = await open(
      {
        "providers.list": () => ({
          providers: [
            ...["a", "b", "c"].map((name) => provider(name, READY)),
            provider("d", { state: "key_missing" }),
          ],
          order: ["a", "b", "c"],
          keys: KEYS,
        }),
      },
      { default_provider: "a", failover: ["b", "c"] },
    );
    await fireEvent.click(screen.getByRole("button", { name: "Ask c earlier" }));
    await fireEvent.click(screen.getByRole("button", { name: "Remove b from the order" }));
    expect(screen.queryByRole("switch", { name: "Use d" })).toBeNull(); // it needs a key first
    await fireEvent.click(screen.getByRole("switch", { name: "Use b" }));
    const b = await card("b");
    await fireEvent.click(within(b).getByRole("button", { name: "Make default" }));
    await waitFor(() =>
      expect(commits(transport)).toEqual([
        { llm: { failover: ["c", "b"] } },
        { llm: { failover: ["c"] } },
        { llm: { providers: { b: { enabled: false } } } },
        { llm: { default_provider: "b", failover: ["c"] } },
      ]),
    );
  });
  it("of one's own are added by a preset, under a free name", async () => {
    const transport = await open();
    await fireEvent.click(screen.getByRole("button", { name: "Add server" }));
    await fireEvent.click(await screen.findByRole("radio", { name: /LM Studio/ }));
    await fireEvent.click(screen.getByRole("button", { name: "Add" }));
    await waitFor(() =>
      expect(commits(transport)).toEqual([
        { llm: { providers: { "lm-studio": { kind: "custom", base_url: PRESETS[1]!.base_url } } } },
      ]),
    );
  });
  it("leave failover and the default when they are removed", async () => {
    const own = provider("studio", {
      ...READY,
      kind: "custom",
      written: true,
      needs_key: false,
      has_key: false,
      key_place: null,
    });
    const transport = await open(
      { "providers.list": () => ({ providers: [own], order: ["studio"], keys: KEYS }) },
      {
        default_provider: "studio",
        failover: ["openai"],
        providers: { studio: {} } as unknown as LlmSettings["providers"],
      },
    );
    const studio = await card("studio");
    await fireEvent.click(within(studio).getByRole("button", { name: "Remove…" }));
    await fireEvent.click(await screen.findByRole("button", { name: "Remove" }));
    await waitFor(() =>
      expect(commits(transport)).toEqual([
        { llm: { providers: { studio: null }, failover: ["openai"], default_provider: null } },
      ]),
    );
    expect(transport.called("keys.delete")).toEqual([]);
  });
});

describe("where keys are kept", () => {
  it("is chosen by a passphrase that is typed twice", async () => {
    let keys = NONE;
    const transport = await open({
      "providers.list": () => ({ providers: [provider("anthropic")], order: [], keys }),
      "keys.create": () => (keys = { ...KEYS, place: "file" }),
    });
    const make = screen.getByRole("button", { name: "Create encrypted file" });
    await fireEvent.input(screen.getByLabelText("New passphrase"), {
      target: { value: "correct horse" },
    });
    await fireEvent.input(screen.getByLabelText("Repeat the passphrase"), {
      target: { value: "correct house" },
    });
    expect(make).toHaveProperty("disabled", true);
    expect(screen.getByRole("alert").textContent).toBe("The passphrases do not match.");
    await fireEvent.input(screen.getByLabelText("Repeat the passphrase"), {
      target: { value: "correct horse" },
    });
    await fireEvent.click(make);
    await waitFor(() => expect(screen.queryByLabelText("New passphrase")).toBeNull());
    expect(transport.called("keys.create")).toEqual([
      { passphrase: "correct horse", replace: false },
    ]);
  });
  it("is not made by a short passphrase", () => {
    expect(passphraseProblems("", "")).toEqual({});
    expect(passphraseProblems("seven 7", "")).toEqual({
      first: "Too short: enter at least 8 characters.",
    });
    expect(passphraseProblems("eight  8", "eight  8")).toEqual({});
  });
  it("is where a card without a key leads to", async () => {
    await open({
      "providers.list": () => ({ providers: [provider("anthropic")], order: [], keys: NONE }),
    });
    const anthropic = await card("anthropic");
    expect(anthropic.textContent).toContain("Needs a key: choose a passphrase first");
    await fireEvent.click(within(anthropic).getByRole("button", { name: "Choose a passphrase" }));
    expect(document.activeElement).toBe(screen.getByLabelText("New passphrase"));
  });
  it("is unlocked, or says that the passphrase is another", async () => {
    const locked: KeysState = {
      ...KEYS,
      place: "file",
      locked: true,
      file_exists: true,
      keychain: "absent",
      words: "Enter its passphrase.",
    };
    const refuse = () => {
      throw new Refusal({ code: "params_invalid", message: "this is not the passphrase" });
    };
    await open({
      "providers.list": () => ({
        providers: [provider("anthropic", { state: "locked" })],
        order: [],
        keys: locked,
      }),
      "keys.unlock": refuse,
    });
    await fireEvent.input(screen.getByLabelText("Passphrase"), { target: { value: "wrong" } });
    await fireEvent.click(screen.getByRole("button", { name: "Unlock" }));
    expect((await screen.findByRole("alert")).textContent).toBe("This is not the passphrase");
  });
  it("can be an environment variable alone", async () => {
    const transport = await open({
      "providers.list": () => ({ providers: [provider("anthropic")], order: [], keys: NONE }),
    });
    const anthropic = await card("anthropic");
    await fireEvent.click(
      within(anthropic).getByRole("button", { name: "Use an environment variable" }),
    );
    const field = within(anthropic).getByLabelText(
      "Environment variable with the key of anthropic",
    );
    await fireEvent.input(field, { target: { value: "MY_KEY" } });
    await fireEvent.change(field);
    await waitFor(() =>
      expect(commits(transport)).toEqual([
        { llm: { providers: { anthropic: { api_key_env: "MY_KEY" } } } },
      ]),
    );
  });
});

describe("costs", () => {
  it("use newer prices when the user asks for them, and say from when they are", async () => {
    let updated = false;
    const transport = await open({
      "providers.update_prices": () => {
        updated = true;
        return { updated_at: "2026-11-29T12:00:00Z" };
      },
      "usage.summary": () => ({
        ...USAGE,
        prices_updated_at: updated ? "2026-11-29T12:00:00Z" : null,
      }),
    });
    const costs = screen.getByRole("region", { name: "Costs" });
    await within(costs).findByText("Costs use the prices that came with Conductor.");
    expect(transport.called("providers.update_prices")).toEqual([]);
    await fireEvent.click(within(costs).getByRole("button", { name: "Update prices" }));
    await within(costs).findByText(/^Costs use the prices of .*2026/);
  });

  it("are told by day and provider, and what has no price is said", async () => {
    await open({
      "usage.summary": () => ({
        ...USAGE,
        costs: { ...USAGE.costs, total: { ...USAGE.costs.total, unpriced_requests: 2 } },
      }),
    });
    const costs = screen.getByRole("region", { name: "Costs" });
    await within(costs).findByText("$0.50");
    expect(within(costs).getAllByRole("listitem")).toHaveLength(4);
    expect(costs.textContent).toContain("2 without a price");
    await fireEvent.click(within(costs).getByRole("tab", { name: "Conversation" }));
    expect(within(costs).getByRole("rowheader").textContent).toBe("Outside conversations");
  });
  it("are not known, instead of nothing, when no price is", async () => {
    const unknown = line("2026-11-21", null, 3);
    await open({
      "usage.summary": () => ({
        ...USAGE,
        today_usd: 0,
        costs: { ...USAGE.costs, total: unknown, days: [unknown] },
      }),
    });
    const costs = screen.getByRole("region", { name: "Costs" });
    expect(await within(costs).findAllByText("unknown", { selector: "dd" })).toHaveLength(2);
    expect(costs.textContent).toContain("3 without a price");
    expect(
      describeBar(dayBars({ ...USAGE, costs: { ...USAGE.costs, days: [unknown] } })[3]!),
    ).toMatch(/: unknown, 3 requests, 3 without a price$/);
  });
  it("can be tried again when they could not be read", async () => {
    const refuse = () => {
      throw new Refusal({ code: "not_available", message: "The database is gone." });
    };
    await open({ "usage.summary": refuse });
    expect(await screen.findByText("The database is gone.")).toBeTruthy();
  });
});
