/** Providers and their models, from which the user chooses the model of a conversation. */
import { formatDollars, formatTokens } from "$lib/amounts";
import { errorMessage } from "$lib/client/client";
import type { ModelInfo, ProviderView } from "$lib/client/types";
import type { ModelChoice } from "$lib/state/chat/chat.svelte";
import type { State } from "$lib/state/state";
import { strings } from "./strings";

const FAVOURITE_MODELS = "chat_favourite_models";
const STORED_MODEL = "chat_model";

/** The model that the user chose, with the default model at that time. */
interface StoredChoice extends ModelChoice {
  instead_of: ModelChoice;
}

export interface ModelRow extends ModelChoice {
  key: string;
  model: string;
  label: string;
  /** The context window and the price of the model, as far as they are known. */
  facts: string;
  favourite: boolean;
}
export interface ModelGroup {
  provider: ProviderView;
  rows: ModelRow[];
  /** The reason why the models could not be listed; null: no error. */
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
  /** The model of a new conversation: the last choice of the user, until the default changes. */
  readonly newConversationModel: ModelChoice | null;
  /** The default provider and its model. */
  private readonly configuredDefault: ModelChoice | null;
  private order = $state.raw<readonly string[]>([]);
  private modelLists = $state.raw<Record<string, ModelInfo[]>>({});
  private problems = $state.raw<Record<string, string>>({});
  private loadingProviders = $state.raw<ReadonlySet<string>>(new Set());

  constructor(private readonly state: State) {
    const { ui } = state;
    this.favourites = $derived(ui.pref<string[]>(FAVOURITE_MODELS, []));
    this.ready = $derived(this.providers.filter((one) => one.usable));
    this.groups = $derived(this.ready.map((provider) => this.buildGroup(provider)));
    this.configuredDefault = $derived.by(() => {
      const first = this.providers.find((one) => one.name === this.order[0]);
      return first ? { provider: first.name, model: first.model } : null;
    });
    this.newConversationModel = $derived.by(() => {
      const last = ui.pref<Partial<StoredChoice>>(STORED_MODEL, {});
      const isStillValid =
        isSameModel(last.instead_of, this.configuredDefault) &&
        this.ready.some((one) => one.name === last.provider);
      return isStillValid
        ? { provider: last.provider!, model: last.model ?? "" }
        : this.configuredDefault;
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

  /** Load the models of every ready provider that are not loaded yet. */
  loadLists(): void {
    for (const { name } of this.ready)
      if (!this.modelLists[name] && !this.loadingProviders.has(name)) void this.loadModels(name);
  }

  info({ provider, model }: ModelChoice): ModelInfo | undefined {
    return this.modelLists[provider]?.find((one) => one.model === model);
  }

  /** Return whether there is another model, as far as the lists of models are loaded. */
  hasOther(model: string | null): boolean {
    return this.groups.some(
      ({ provider, rows }) =>
        !this.modelLists[provider.name] || rows.some((row) => row.model !== model),
    );
  }

  toggleFavourite(key: string): void {
    const others = this.favourites.filter((one) => one !== key);
    this.state.ui.setPref(
      FAVOURITE_MODELS,
      others.length < this.favourites.length ? others : [...others, key],
    );
  }

  /** Store the model for the next new conversation. */
  storeChoice({ provider, model }: ModelChoice): void {
    if (this.configuredDefault)
      this.state.ui.setPref(STORED_MODEL, {
        provider,
        model,
        instead_of: this.configuredDefault,
      } satisfies StoredChoice);
  }

  private async loadModels(name: string): Promise<void> {
    this.loadingProviders = new Set(this.loadingProviders).add(name);
    try {
      const { models } = await this.state.client.call("providers.models", { name });
      this.modelLists = { ...this.modelLists, [name]: models };
      this.problems = Object.fromEntries(
        Object.entries(this.problems).filter(([one]) => one !== name),
      );
    } catch (error) {
      this.problems = { ...this.problems, [name]: errorMessage(error) };
    } finally {
      this.loadingProviders = new Set([...this.loadingProviders].filter((one) => one !== name));
    }
  }

  private buildGroup(provider: ProviderView): ModelGroup {
    const known = this.modelLists[provider.name] ?? [];
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
        facts: describeModel(one),
        favourite: this.favourites.includes(key),
      };
    });
    return {
      provider,
      rows,
      problem: this.problems[provider.name] ?? null,
      busy: this.loadingProviders.has(provider.name),
    };
  }
}

function isSameModel(a: ModelChoice | undefined, b: ModelChoice | null): boolean {
  return a?.provider === b?.provider && a?.model === b?.model;
}

function describeModel(model: Partial<ModelInfo>): string {
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

/** Search models by words. Favourites come first in the list of each provider. */
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
