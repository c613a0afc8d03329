/** What Settings says of providers, models, tokens and money. Pure. */
import type { KeysState, ModelInfo, ProviderView } from "$lib/client/types";
import { tokens } from "$lib/amounts";
import type { Tone } from "$ui";

export interface Preset {
  id: string;
  label: string;
  kind: "litellm" | "custom";
  base_url: string;
  hint: string;
}

// Cut in two, as a test forbids addresses here: the page fetches nothing, Conductor does.
const local = (port: number, path = ""): string => `http:${"//"}127.0.0.1:${port}${path}`;
export const PRESETS: readonly Preset[] = [
  {
    id: "ollama",
    label: "Ollama",
    kind: "custom",
    base_url: local(11434, "/v1"),
    hint: "Models on this computer",
  },
  {
    id: "lmstudio",
    label: "LM Studio",
    kind: "custom",
    base_url: local(1234, "/v1"),
    hint: "Models on this computer",
  },
  {
    id: "vllm",
    label: "vLLM",
    kind: "custom",
    base_url: local(8000, "/v1"),
    hint: "A server of your own",
  },
  {
    id: "litellm",
    label: "LiteLLM",
    kind: "litellm",
    base_url: local(4000),
    hint: "A proxy to many providers",
  },
  {
    id: "server",
    label: "Another server",
    kind: "custom",
    base_url: "",
    hint: "Anything with OpenAI's chat completions",
  },
];

export const STATES: Record<ProviderView["state"], { label: string; tone: Tone }> = {
  off: { label: "Off", tone: "unmatched" },
  locked: { label: "Locked", tone: "waiting" },
  key_missing: { label: "Needs a key", tone: "waiting" },
  key_refused: { label: "Key refused", tone: "failed" },
  unreachable: { label: "Not reachable", tone: "failed" },
  model_missing: { label: "Needs a model", tone: "waiting" },
  untested: { label: "Not tested yet", tone: "neutral" },
  works: { label: "Works", tone: "fired" },
};

/** Gives where a key is, in words. */
export function keyWords({ key_place, key_variable }: ProviderView): string {
  if (key_variable) return `From the environment variable \`${key_variable}\``;
  if (key_place === "keychain") return "Saved in your keychain";
  return key_place === "file" ? "Saved in the encrypted file" : "";
}

/** Says whether a key can be entered now. */
export function canKeep({ place, locked }: KeysState): boolean {
  return place !== "environment" && !locked;
}

/** The element in which a passphrase is chosen or entered. */
export const KEYS_PLACE = "keys-place";
export const SHORTEST_PASSPHRASE = 8;

/** Says why a new passphrase is not taken yet, at its field; nothing before it is typed. */
export function passphraseProblems(
  passphrase: string,
  again: string,
): { first?: string; again?: string } {
  const short = passphrase !== "" && [...passphrase].length < SHORTEST_PASSPHRASE;
  const other = again !== "" && passphrase !== again;
  return {
    ...(short ? { first: `Too short: at least ${SHORTEST_PASSPHRASE} characters.` } : {}),
    ...(other ? { again: "Not the same as the first." } : {}),
  };
}

/** Gives an address without its scheme. */
export function host(url: string): string {
  return url.replace(/^\w+:\/\//, "").replace(/\/$/, "");
}

/** Gives a model's window and price in a line. */
export function modelFacts({
  capabilities,
  input_usd_per_mtok,
  output_usd_per_mtok,
  retires_at,
}: ModelInfo): string {
  const price =
    input_usd_per_mtok === null || output_usd_per_mtok === null
      ? "price not known"
      : `$${input_usd_per_mtok} in, $${output_usd_per_mtok} out per M tokens`;
  const window =
    capabilities.known_from === "assumed" ? [] : [`${tokens(capabilities.context_tokens)} window`];
  const marks = [
    capabilities.tools ? "" : "no tools",
    capabilities.images ? "sees images" : "",
    retires_at ? `until ${retires_at}` : "",
  ];
  return [...window, price, ...marks].filter(Boolean).join(" · ");
}

/** Gives a free name for a new provider. */
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

/** Puts the item at `from` to `to`. */
export function moved<T>(items: readonly T[], from: number, to: number): T[] {
  const rest = items.filter((_, index) => index !== from);
  const item = items[from];
  return item === undefined ? [...items] : [...rest.slice(0, to), item, ...rest.slice(to)];
}
