/** Texts and presets of providers, keys and models in Settings. */
import { localized } from "$language/language.svelte";
import type { KeysState, ModelInfo, ProviderView } from "$lib/client/types";
import { formatDollars, formatTokens } from "$lib/amounts";
import type { Tone } from "$ui";
import { strings } from "./strings";

export interface Preset {
  id: string;
  label: string;
  kind: "litellm" | "custom";
  base_url: string;
  hint: string;
}

// The address is split because a test forbids addresses in the page: only the backend connects.
const local = (port: number, path = ""): string => `http:${"//"}127.0.0.1:${port}${path}`;
export const PRESETS: readonly Preset[] = localized(() => [
  {
    id: "ollama",
    label: strings.ollama,
    kind: "custom",
    base_url: local(11434, "/v1"),
    hint: strings.modelsOnThisComputer,
  },
  {
    id: "lmstudio",
    label: strings.lmStudio,
    kind: "custom",
    base_url: local(1234, "/v1"),
    hint: strings.modelsOnThisComputer,
  },
  {
    id: "vllm",
    label: "vLLM",
    kind: "custom",
    base_url: local(8000, "/v1"),
    hint: strings.ownServer,
  },
  {
    id: "litellm",
    label: strings.litellm,
    kind: "litellm",
    base_url: local(4000),
    hint: strings.proxyToManyProviders,
  },
  {
    id: "server",
    label: strings.otherServer,
    kind: "custom",
    base_url: "",
    hint: strings.openAiCompatible,
  },
]);

export const STATES: Record<ProviderView["state"], { label: string; tone: Tone }> = localized(
  () => ({
    off: { label: strings.off, tone: "unmatched" },
    locked: { label: strings.locked, tone: "waiting" },
    key_missing: { label: strings.needsAKey, tone: "waiting" },
    key_refused: { label: strings.keyRejected, tone: "failed" },
    unreachable: { label: strings.unreachable, tone: "failed" },
    model_missing: { label: strings.needsAModel, tone: "waiting" },
    untested: { label: strings.notTestedYet, tone: "neutral" },
    works: { label: strings.works, tone: "fired" },
  }),
);

/** Describe where the API key of a provider is stored. */
export function describeKeyPlace({ key_place, key_variable }: ProviderView): string {
  if (key_variable) return strings.fromVariable(key_variable);
  if (key_place === "keychain") return strings.savedInYourKeychain;
  return key_place === "file" ? strings.savedInEncryptedFile : "";
}

/** Return whether API keys can be stored: the key storage exists and is unlocked. */
export function canStoreKeys({ place, locked }: KeysState): boolean {
  return place !== "environment" && !locked;
}

/** The id of the element in which the user enters the passphrase of the key storage. */
export const KEY_STORAGE_ID = "keys-place";
export const MIN_PASSPHRASE_LENGTH = 8;

/** Return the errors of a new passphrase, by field. Empty fields have no error. */
export function passphraseProblems(
  passphrase: string,
  again: string,
): { first?: string; again?: string } {
  const short = passphrase !== "" && [...passphrase].length < MIN_PASSPHRASE_LENGTH;
  const other = again !== "" && passphrase !== again;
  return {
    ...(short ? { first: strings.tooShort(MIN_PASSPHRASE_LENGTH) } : {}),
    ...(other ? { again: strings.passphrasesDoNotMatch } : {}),
  };
}

/** Return an address without its scheme. */
export function withoutScheme(url: string): string {
  return url.replace(/^\w+:\/\//, "").replace(/\/$/, "");
}

/** Describe the context window, price and abilities of a model in one line. */
export function describeModel({
  capabilities,
  input_usd_per_mtok,
  output_usd_per_mtok,
  retires_at,
}: ModelInfo): string {
  const price =
    input_usd_per_mtok === null || output_usd_per_mtok === null
      ? strings.priceUnknown
      : strings.price(formatDollars(input_usd_per_mtok), formatDollars(output_usd_per_mtok));
  const window =
    capabilities.known_from === "assumed"
      ? []
      : [strings.contextWindow(formatTokens(capabilities.context_tokens))];
  const marks = [
    capabilities.tools ? "" : strings.noTools,
    capabilities.images ? strings.readsImages : "",
    retires_at ? strings.retires(retires_at) : "",
  ];
  return [...window, price, ...marks].filter(Boolean).join(" · ");
}

/** Convert a label to an unused provider name, such as `my-server-2`. */
export function freeName(wanted: string, taken: readonly string[]): string {
  const base =
    wanted
      .trim()
      .toLowerCase()
      .replace(/[^a-z0-9]+/g, "-")
      .replace(/^-+|-+$/g, "") || "server";
  for (let number = 1; ; number++) {
    const name = number === 1 ? base : `${base}-${number}`;
    if (!taken.includes(name)) return name;
  }
}

/** Return a copy of a list in which one item is moved to another index. */
export function moveItem<T>(items: readonly T[], from: number, to: number): T[] {
  const rest = items.filter((_, index) => index !== from);
  const item = items[from];
  return item === undefined ? [...items] : [...rest.slice(0, to), item, ...rest.slice(to)];
}
