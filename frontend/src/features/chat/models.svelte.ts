/** The providers and their models, from which the user chooses one for a conversation. */
import { formatDollars, formatTokens } from "$lib/amounts";
import { errorMessage } from "$lib/client/client";
import type { ModelInfo, ProviderView } from "$lib/client/types";
import type { ModelChoice } from "$lib/state/chat/chat.svelte";
import type { State } from "$lib/state/state";
import { strings } from "./strings";

const FAVOURITES = "chat_favourite_models";
const MODEL = "chat_model";

/** The model that the user chose, and the default that it replaced. */
interface Remembered extends ModelChoice {
  instead_of: ModelChoice;
}

export interface ModelRow extends ModelChoice {
  key: string;
  model: string;
  label: string;
  /** Its context window and price, as far as they are known. */
  facts: string;
  favourite: boolean;
}
export interface ModelGroup {
  provider: ProviderView;
  rows: ModelRow[];
  /** Why the models could not be listed. */
  problem: string | null;
  busy: boolean;
}

export class Models {
  providers = $state.raw<ProviderView[]>([]);
  loaded = $state(false);
  error = $state<string | null>(null);
  today_usd = $state<number | null>(null);
  /** The providers that are ready for requests. */
  readonly ready: ProviderView[];
  readonly groups: ModelGroup[];
  readonly favourites: string[];
  /** The model of a new conversation: the last choice, until the default changes. */
  readonly usual: ModelChoice | null;
  /** The default provider and its model. */
  private readonly first: ModelChoice | null;
  private order = $state.raw<readonly string[]>([]);
  private lists = $state.raw<Record<string, ModelInfo[]>>({});
  private problems = $state.raw<Record<string, string>>({});
  private asking = $state.raw<ReadonlySet<string>>(new Set());

  constructor(private readonly state: State) {
    const { ui } = state;
    this.favourites = $derived(ui.pref<string[]>(FAVOURITES, []));
    this.ready = $derived(this.providers.filter((one) => one.usable));
    this.groups = $derived(this.ready.map((provider) => this.group(provider)));
    this.first = $derived.by(() => {
      const first = this.providers.find((one) => one.name === this.order[0]);
      return first ? { provider: first.name, model: first.model } : null;
    });
    this.usual = $derived.by(() => {
      const last = ui.pref<Partial<Remembered>>(MODEL, {});
      const counts =
        isSameModel(last.instead_of, this.first) &&
        this.ready.some((one) => one.name === last.provider);
      return counts ? { provider: last.provider!, model: last.model ?? "" } : this.first;
    });
  }

  async load(): Promise<void> {
    try {
      ({ providers: this.providers, order: this.order } =
        await this.state.client.call("providers.list"));
      this.error = null;
    } catch (error) {
      this.error = errorMessage(error);
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

  /** Load the models of every ready provider, each once. */
  list(): void {
    for (const { name } of this.ready)
      if (!this.lists[name] && !this.asking.has(name)) void this.ask(name);
  }

  info({ provider, model }: ModelChoice): ModelInfo | undefined {
    return this.lists[provider]?.find((one) => one.model === model);
  }

  toggleFavourite(key: string): void {
    const others = this.favourites.filter((one) => one !== key);
    this.state.ui.setPref(
      FAVOURITES,
      others.length < this.favourites.length ? others : [...others, key],
    );
  }

  /** Store the choice for the next new conversation. */
  remember({ provider, model }: ModelChoice): void {
    if (this.first)
      this.state.ui.setPref(MODEL, {
        provider,
        model,
        instead_of: this.first,
      } satisfies Remembered);
  }

  private async ask(name: string): Promise<void> {
    this.asking = new Set(this.asking).add(name);
    try {
      const { models } = await this.state.client.call("providers.models", { name });
      this.lists = { ...this.lists, [name]: models };
      this.problems = Object.fromEntries(
        Object.entries(this.problems).filter(([one]) => one !== name),
      );
    } catch (error) {
      this.problems = { ...this.problems, [name]: errorMessage(error) };
    } finally {
      this.asking = new Set([...this.asking].filter((one) => one !== name));
    }
  }

  private group(provider: ProviderView): ModelGroup {
    const known = this.lists[provider.name] ?? [];
    const own =
      provider.model && !known.some((one) => one.model === provider.model)
        ? [{ model: provider.model, label: provider.model }]
        : [];
    const rows = [...own, ...known].map((one): ModelRow => {
      const key = `${provider.name}/${one.model}`;
      return {
        key,
        provider: provider.name,
        model: one.model,
        label: one.label || one.model,
        facts: factsOf(one),
        favourite: this.favourites.includes(key),
      };
    });
    return {
      provider,
      rows,
      problem: this.problems[provider.name] ?? null,
      busy: this.asking.has(provider.name),
    };
  }
}

function isSameModel(a: ModelChoice | undefined, b: ModelChoice | null): boolean {
  return a?.provider === b?.provider && a?.model === b?.model;
}

function factsOf(model: Partial<ModelInfo>): string {
  const window = model.capabilities?.context_tokens;
  const { input_usd_per_mtok: input, output_usd_per_mtok: output } = model;
  const price =
    input != null && output != null
      ? strings.price(formatDollars(input), formatDollars(output))
      : "";
  return [
    window ? formatTokens(window) : "",
    price,
    model.retires_at ? strings.retires(model.retires_at) : "",
  ]
    .filter(Boolean)
    .join(" · ");
}

/** Search models by words, with favourites first in each provider. */
export function searchModels(groups: readonly ModelGroup[], query: string): ModelGroup[] {
  const wanted = query.toLowerCase().split(/\s+/).filter(Boolean);
  return groups
    .map((group) => ({
      ...group,
      rows: group.rows
        .filter((row) =>
          wanted.every((word) =>
            `${row.label} ${row.model} ${group.provider.label} ${group.provider.name}`
              .toLowerCase()
              .includes(word),
          ),
        )
        .sort((a, b) => Number(b.favourite) - Number(a.favourite)),
    }))
    .filter((group) => group.rows.length || (!wanted.length && (group.busy || group.problem)));
}
