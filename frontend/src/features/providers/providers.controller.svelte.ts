/** View model of the model providers in Settings: keys, models, failover and costs. */
import type { Wording } from "$language/language.svelte";
import { errorMessage } from "$lib/client/client";
import type {
  KeysState,
  LlmBudgetInput,
  LlmProviderInput,
  LlmSettings,
  ModelInfo,
  ProviderHealth,
  ProvidersView,
  ProviderView,
  UsageView,
} from "$lib/client/types";
import type { State } from "$lib/state/state";
import { freeName, type Preset } from "./words";
import { strings } from "./strings";

/** A running or finished connection test of a provider. */
export interface ConnectionTest {
  busy: boolean;
  health: ProviderHealth | null;
}
/** The list of models of a provider. */
export interface ModelList {
  busy: boolean;
  models: ModelInfo[];
  problem: string | null;
}
const NO_LIST: ModelList = { busy: false, models: [], problem: null };

export class ProvidersController {
  /** The providers and the key store; null: not loaded yet. */
  view = $state.raw<ProvidersView | null>(null);
  /** The reason why the providers could not be loaded; null: no error. */
  error = $state<string | null>(null);
  /** The last connection test of each provider, by name. */
  connectionTests = $state.raw<Record<string, ConnectionTest>>({});
  /** The loaded models of each provider, by name. */
  modelLists = $state.raw<Record<string, ModelList>>({});
  /** The costs of the last `days` days; null: not loaded yet. */
  usage = $state.raw<UsageView | null>(null);
  /** The reason why the costs could not be loaded; null: no error. */
  usageError = $state<string | null>(null);
  /** The period of the costs, in days. */
  days = $state(30);
  /** Whether the newest prices are being downloaded. */
  updatingPrices = $state(false);
  /** The name of the provider whose card is open; null: all cards are closed. */
  open = $state<string | null>(null);
  /** The `llm` section of the config. */
  readonly llm: LlmSettings | null;
  /** All providers. The providers in use come first, in the order of the requests. */
  readonly providers: ProviderView[];
  /** The default provider, or the first provider in use if there is no default. */
  readonly defaultProvider: string | null;
  /** The providers to ask when the default provider does not answer, in order. */
  readonly failover: string[];

  constructor(private readonly state: State) {
    this.llm = $derived(state.config.config?.llm ?? null);
    this.failover = $derived(
      (this.llm?.failover ?? []).filter((name) => name !== this.llm?.default_provider),
    );
    this.defaultProvider = $derived(this.llm?.default_provider ?? this.view?.order[0] ?? null);
    this.providers = $derived(this.view?.providers ?? []);
  }

  get keys(): KeysState | null {
    return this.view?.keys ?? null;
  }

  labelOf(name: string): string {
    return this.view?.providers.find((provider) => provider.name === name)?.label ?? name;
  }

  async load(): Promise<void> {
    try {
      this.view = await this.state.client.call("providers.list");
      this.error = null;
    } catch (error) {
      this.error = errorMessage(error);
    }
  }

  async loadUsage(): Promise<void> {
    try {
      this.usage = await this.state.client.call("usage.summary", { days: this.days });
      this.usageError = null;
    } catch (error) {
      this.usageError = errorMessage(error);
    }
  }

  /** Download the newest prices of models, and show the outcome in a toast. */
  async updatePrices(): Promise<void> {
    this.updatingPrices = true;
    const { app, client } = this.state;
    if (await app.attempt(() => client.call("providers.update_prices"), strings.pricesUpdated))
      await this.loadUsage();
    this.updatingPrices = false;
  }

  async test(name: string): Promise<void> {
    this.connectionTests = { ...this.connectionTests, [name]: { busy: true, health: null } };
    const health = await this.state.client
      .call("providers.test", { name })
      .catch((error: unknown): ProviderHealth => ({
        ok: false,
        message: errorMessage(error),
        latency_ms: null,
        failure: null,
      }));
    this.connectionTests = { ...this.connectionTests, [name]: { busy: false, health } };
    await this.load();
  }

  modelListOf(name: string): ModelList {
    return this.modelLists[name] ?? NO_LIST;
  }

  async loadModels(name: string): Promise<void> {
    if (this.modelListOf(name).busy) return;
    const put = (list: Partial<ModelList>): void =>
      void (this.modelLists = {
        ...this.modelLists,
        [name]: { ...this.modelListOf(name), busy: false, problem: null, ...list },
      });
    put({ busy: true });
    try {
      put({ models: (await this.state.client.call("providers.models", { name })).models });
    } catch (error) {
      put({ problem: errorMessage(error) });
    }
  }

  // The next four functions return the error text, or null on success.
  saveKey = (name: string, api_key: string): Promise<string | null> =>
    this.runKeyCommand(this.state.client.call("keys.put", { name, api_key }), name);
  deleteKey = (name: string): Promise<string | null> =>
    this.runKeyCommand(this.state.client.call("keys.delete", { name }), name);
  unlock = (passphrase: string): Promise<string | null> =>
    this.runKeyCommand(this.state.client.call("keys.unlock", { passphrase }));
  create = (passphrase: string, replace: boolean): Promise<string | null> =>
    this.runKeyCommand(this.state.client.call("keys.create", { passphrase, replace }));

  set(name: string, part: LlmProviderInput, done: Wording): Promise<boolean> {
    this.dropResults(
      name,
      Object.keys(part).every((field) => field === "model"),
    );
    return this.setLlm({ providers: { [name]: part } }, done);
  }

  /** Add a provider and open its card. Returns whether it was added. */
  async add(preset: Preset, label: string, base_url: string): Promise<boolean> {
    const name = freeName(
      label,
      Object.keys({
        ...this.llm?.providers,
        ...Object.fromEntries((this.view?.providers ?? []).map((one) => [one.name, 1])),
      }),
    );
    const done = await this.setLlm({ providers: { [name]: { kind: preset.kind, base_url } } }, () =>
      strings.added(label),
    );
    if (done) this.open = name;
    return done;
  }

  remove({ name, label }: ProviderView): Promise<boolean> {
    const failover = this.failover.filter((other) => other !== name);
    const first = this.llm?.default_provider === name ? { default_provider: null } : {};
    return this.setLlm({ providers: { [name]: null }, failover, ...first }, () =>
      strings.removed(label),
    );
  }

  makeDefault(name: string): Promise<boolean> {
    return this.setLlm(
      { default_provider: name, failover: this.failover.filter((other) => other !== name) },
      () => strings.isDefault(this.labelOf(name)),
    );
  }

  setFailover(names: string[]): Promise<boolean> {
    return this.setLlm({ failover: names }, () =>
      names.length
        ? strings.askedAfter(
            this.defaultProvider ? this.labelOf(this.defaultProvider) : strings.theDefault,
            names.map((name) => this.labelOf(name)).join(", "),
          )
        : strings.noOtherProviderAsked,
    );
  }

  setBudget(budget: LlmBudgetInput, done: Wording): Promise<boolean> {
    return this.setLlm({ budget }, done);
  }

  private setLlm(llm: Record<string, unknown>, done: Wording): Promise<boolean> {
    return this.state.config.set({ llm }, done);
  }

  private async runKeyCommand(answer: Promise<KeysState>, name?: string): Promise<string | null> {
    try {
      await answer;
    } catch (error) {
      return errorMessage(error);
    }
    if (name) this.dropResults(name);
    await this.load();
    return null;
  }

  /** Drop the connection test and the models of a provider after its settings changed. */
  private dropResults(name: string, keepList = false): void {
    const { [name]: _test, ...tests } = this.connectionTests;
    const { [name]: _list, ...lists } = this.modelLists;
    this.connectionTests = tests;
    if (!keepList) this.modelLists = lists;
  }
}
