/** The view model of the model providers in Settings: keys, models, failover, costs. */
import { words } from "$lib/client/client";
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

/** A connection test. */
export interface Trial {
  busy: boolean;
  health: ProviderHealth | null;
}
/** The models that a provider offers. */
export interface ModelList {
  busy: boolean;
  models: ModelInfo[];
  problem: string | null;
}
const NO_LIST: ModelList = { busy: false, models: [], problem: null };

export class ProvidersController {
  /** The providers and the key store; null: not loaded yet. */
  view = $state.raw<ProvidersView | null>(null);
  /** Why the providers could not be loaded. */
  error = $state<string | null>(null);
  /** The last connection test of each provider, by provider name. */
  trials = $state.raw<Record<string, Trial>>({});
  /** The models of each provider that were loaded, by provider name. */
  lists = $state.raw<Record<string, ModelList>>({});
  /** The costs of the last `days` days; null: not loaded yet. */
  usage = $state.raw<UsageView | null>(null);
  /** Why the costs could not be loaded. */
  usageError = $state<string | null>(null);
  /** The period of the costs, in days. */
  days = $state(30);
  /** The name of the provider whose card is open. */
  open = $state<string | null>(null);
  /** The `llm` section of the config. */
  readonly llm: LlmSettings | null;
  /** All providers: those in use in the order they are asked, then the others. */
  readonly providers: ProviderView[];
  /** The default provider, or the one that is used without a default. */
  readonly first: string | null;
  /** The providers that are asked when the default does not answer, in order. */
  readonly failover: string[];

  constructor(private readonly state: State) {
    this.llm = $derived(state.config.config?.llm ?? null);
    this.failover = $derived(
      (this.llm?.failover ?? []).filter((name) => name !== this.llm?.default_provider),
    );
    this.first = $derived(this.llm?.default_provider ?? this.view?.order[0] ?? null);
    this.providers = $derived(this.view?.providers ?? []);
  }

  get keys(): KeysState | null {
    return this.view?.keys ?? null;
  }

  label(name: string): string {
    return this.view?.providers.find((provider) => provider.name === name)?.label ?? name;
  }

  async load(): Promise<void> {
    try {
      this.view = await this.state.client.call("providers.list");
      this.error = null;
    } catch (error) {
      this.error = words(error);
    }
  }

  async loadUsage(): Promise<void> {
    try {
      this.usage = await this.state.client.call("usage.summary", { days: this.days });
      this.usageError = null;
    } catch (error) {
      this.usageError = words(error);
    }
  }

  async test(name: string): Promise<void> {
    this.trials = { ...this.trials, [name]: { busy: true, health: null } };
    const health = await this.state.client
      .call("providers.test", { name })
      .catch((error: unknown): ProviderHealth => ({
        ok: false,
        message: words(error),
        latency_ms: null,
        failure: null,
      }));
    this.trials = { ...this.trials, [name]: { busy: false, health } };
    await this.load();
  }

  listOf(name: string): ModelList {
    return this.lists[name] ?? NO_LIST;
  }

  async loadModels(name: string): Promise<void> {
    if (this.listOf(name).busy) return;
    const put = (list: Partial<ModelList>): void =>
      void (this.lists = {
        ...this.lists,
        [name]: { ...this.listOf(name), busy: false, problem: null, ...list },
      });
    put({ busy: true });
    try {
      put({ models: (await this.state.client.call("providers.models", { name })).models });
    } catch (error) {
      put({ problem: words(error) });
    }
  }

  // These four return the error text, or null on success.
  saveKey = (name: string, api_key: string): Promise<string | null> =>
    this.keysChanged(this.state.client.call("keys.put", { name, api_key }), name);
  deleteKey = (name: string): Promise<string | null> =>
    this.keysChanged(this.state.client.call("keys.delete", { name }), name);
  unlock = (passphrase: string): Promise<string | null> =>
    this.keysChanged(this.state.client.call("keys.unlock", { passphrase }));
  create = (passphrase: string, replace: boolean): Promise<string | null> =>
    this.keysChanged(this.state.client.call("keys.create", { passphrase, replace }));

  set(name: string, part: LlmProviderInput, reason: string): Promise<boolean> {
    this.forget(
      name,
      Object.keys(part).every((field) => field === "model"),
    );
    return this.commit({ providers: { [name]: part } }, reason);
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
    const done = await this.commit(
      { providers: { [name]: { kind: preset.kind, base_url } } },
      strings.added(label),
    );
    if (done) this.open = name;
    return done;
  }

  remove({ name, label }: ProviderView): Promise<boolean> {
    const failover = this.failover.filter((other) => other !== name);
    const first = this.llm?.default_provider === name ? { default_provider: null } : {};
    return this.commit({ providers: { [name]: null }, failover, ...first }, strings.removed(label));
  }

  makeFirst(name: string): Promise<boolean> {
    return this.commit(
      { default_provider: name, failover: this.failover.filter((other) => other !== name) },
      strings.isDefault(this.label(name)),
    );
  }

  setFailover(names: string[]): Promise<boolean> {
    return this.commit(
      { failover: names },
      names.length
        ? strings.askedAfter(
            this.first ? this.label(this.first) : strings.theDefault,
            names.map((name) => this.label(name)).join(", "),
          )
        : strings.noOtherProviderAsked,
    );
  }

  setBudget(budget: LlmBudgetInput, reason: string): Promise<boolean> {
    return this.commit({ budget }, reason);
  }

  private commit(llm: Record<string, unknown>, reason: string): Promise<boolean> {
    return this.state.config.set({ llm }, reason);
  }

  private async keysChanged(answer: Promise<KeysState>, name?: string): Promise<string | null> {
    try {
      await answer;
    } catch (error) {
      return words(error);
    }
    if (name) this.forget(name);
    await this.load();
    return null;
  }

  /** Drop the connection test and models of a provider whose settings changed. */
  private forget(name: string, keepList = false): void {
    const { [name]: _trial, ...trials } = this.trials;
    const { [name]: _list, ...lists } = this.lists;
    this.trials = trials;
    if (!keepList) this.lists = lists;
  }
}
