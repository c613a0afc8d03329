/** The providers and their models, for choosing one to talk to. */
import { words } from "$lib/client/client";
import type { ModelInfo, ProviderView } from "$lib/client/types";
import type { ModelChoice } from "$lib/state/chat.svelte";
import type { State } from "$lib/state/state";
import { dollars, tokens } from "./words";

const FAVOURITES = "chat_favourite_models";
const MODEL = "chat_model";

export interface ModelRow extends ModelChoice {
  key: string;
  model: string;
  label: string;
  /** Its window and price, as far as they are known. */
  facts: string;
  favourite: boolean;
}
export interface ModelGroup {
  provider: ProviderView;
  rows: ModelRow[];
  /** Why its models cannot be listed. */
  problem: string | null;
  busy: boolean;
}

export class Models {
  providers = $state.raw<ProviderView[]>([]);
  loaded = $state(false);
  error = $state<string | null>(null);
  today_usd = $state<number | null>(null);
  /** Those that can be asked. */
  readonly ready: ProviderView[];
  readonly groups: ModelGroup[];
  readonly favourites: string[];
  /** What a new conversation is asked of. */
  readonly usual: ModelChoice | null;
  private lists = $state.raw<Record<string, ModelInfo[]>>({});
  private problems = $state.raw<Record<string, string>>({});
  private asking = $state.raw<ReadonlySet<string>>(new Set());

  constructor(private readonly state: State) {
    const { ui, config } = state;
    this.favourites = $derived(ui.pref<string[]>(FAVOURITES, []));
    this.ready = $derived(this.providers.filter((one) => one.usable && (one.written || one.has_key)));
    this.groups = $derived(this.ready.map((provider) => this.group(provider)));
    this.usual = $derived.by(() => {
      const last = ui.pref<Partial<ModelChoice>>(MODEL, {});
      const name = last.provider ?? config.config?.llm?.default_provider;
      const provider = this.ready.find((one) => one.name === name) ?? this.ready[0];
      return provider ? { provider: provider.name, model: provider.name === last.provider ? (last.model ?? provider.model) : provider.model } : null;
    });
  }

  async load(): Promise<void> {
    try {
      this.providers = (await this.state.client.call("providers.list")).providers;
      this.error = null;
    } catch (error) {
      this.error = words(error);
    } finally {
      this.loaded = true;
    }
  }

  async loadCosts(): Promise<void> {
    try {
      this.today_usd = (await this.state.client.call("usage.summary", { days: 1 })).today_usd;
    } catch {
      this.today_usd = null;
    }
  }

  /** Lists the models of every provider that can be asked, each once. */
  list(): void {
    for (const { name } of this.ready) if (!this.lists[name] && !this.asking.has(name)) void this.ask(name);
  }

  info({ provider, model }: ModelChoice): ModelInfo | undefined {
    return this.lists[provider]?.find((one) => one.model === model);
  }

  toggleFavourite(key: string): void {
    const others = this.favourites.filter((one) => one !== key);
    this.state.ui.setPref(FAVOURITES, others.length < this.favourites.length ? others : [...others, key]);
  }

  /** Keeps what was chosen for the next new conversation. */
  remember({ provider, model }: ModelChoice): void {
    this.state.ui.setPref(MODEL, { provider, model });
  }

  private async ask(name: string): Promise<void> {
    this.asking = new Set(this.asking).add(name);
    try {
      const { models } = await this.state.client.call("providers.models", { name });
      this.lists = { ...this.lists, [name]: models };
      this.problems = Object.fromEntries(Object.entries(this.problems).filter(([one]) => one !== name));
    } catch (error) {
      this.problems = { ...this.problems, [name]: words(error) };
    } finally {
      this.asking = new Set([...this.asking].filter((one) => one !== name));
    }
  }

  private group(provider: ProviderView): ModelGroup {
    const known = this.lists[provider.name] ?? [];
    const own = provider.model && !known.some((one) => one.model === provider.model) ? [{ model: provider.model, label: provider.model }] : [];
    const rows = [...own, ...known].map((one): ModelRow => {
      const key = `${provider.name}/${one.model}`;
      return { key, provider: provider.name, model: one.model, label: one.label || one.model, facts: factsOf(one), favourite: this.favourites.includes(key) };
    });
    return { provider, rows, problem: this.problems[provider.name] ?? null, busy: this.asking.has(provider.name) };
  }
}

function factsOf(model: Partial<ModelInfo>): string {
  const window = model.capabilities?.context_tokens;
  const { input_usd_per_mtok: input, output_usd_per_mtok: output } = model;
  const price = input != null && output != null ? `${dollars(input)} in, ${dollars(output)} out per M` : "";
  return [window ? tokens(window) : "", price, model.retires_at ? `until ${model.retires_at}` : ""].filter(Boolean).join(" · ");
}

/** Finds models by words; favourites stand first in their provider. */
export function found(groups: readonly ModelGroup[], query: string): ModelGroup[] {
  const wanted = query.toLowerCase().split(/\s+/).filter(Boolean);
  return groups
    .map((group) => ({
      ...group,
      rows: group.rows.filter((row) => wanted.every((word) => `${row.label} ${row.model} ${group.provider.label} ${group.provider.name}`.toLowerCase().includes(word))).sort((a, b) => Number(b.favourite) - Number(a.favourite)),
    }))
    .filter((group) => group.rows.length || (!wanted.length && (group.busy || group.problem)));
}
