/** The modes with their colours, and the active mode. */
import { localized } from "$language/language.svelte";
import type { AppState } from "./app.svelte";
import type { ConfigState } from "./config.svelte";
import { strings } from "../strings";

export interface ModeDisplay {
  name: string;
  color: string;
  active: boolean;
  rows: number;
}

/** The shades of the colours that a mode can be given, readable in the dark and light theme. */
const SHADES = {
  blue: "#5fa9f5",
  green: "#4ac38a",
  amber: "#e5ad3f",
  purple: "#c78bf2",
  orange: "#f08a5d",
  teal: "#3fc4c9",
  pink: "#f073a8",
  lime: "#a3c94a",
};
/** The same colours with their names in the language of the page. */
export const COLORS: readonly [name: string, color: string][] = localized(() =>
  (Object.keys(SHADES) as (keyof typeof SHADES)[]).map((name) => [strings[name], SHADES[name]]),
);
/** The names that a config may use, which are English in every language of the page. */
const NAMED_COLORS = new Map([
  ...Object.entries(SHADES),
  ["red", "#f0717a"],
  ["yellow", "#e0c341"],
  ["cyan", "#3fc4c9"],
  ["magenta", "#f073a8"],
]);

export class ModesState {
  readonly current: string;
  readonly list: ModeDisplay[];

  constructor(
    private readonly app: AppState,
    config: ConfigState,
  ) {
    this.current = $derived(app.status.mode);
    this.list = $derived(
      config.modes.map((mode, index) => ({
        name: mode.name,
        color: safeColor(mode.color) ?? COLORS[index % COLORS.length]![1],
        active: mode.name === app.status.mode,
        rows: mode.mappings?.length ?? 0,
      })),
    );
  }

  colorOf(name: string): string {
    return this.list.find((mode) => mode.name === name)?.color ?? "var(--unmatched)";
  }

  switch(mode: string): Promise<boolean> {
    if (mode === this.current) return Promise.resolve(true);
    return this.app.switchMode(mode);
  }
}

/** Return a valid CSS colour, or null: the config may come from an untrusted source. */
export function safeColor(color: string | null | undefined): string | null {
  if (!color) return null;
  return (
    NAMED_COLORS.get(color.toLowerCase()) ??
    (/^(#[0-9a-f]{3,8}|[a-z]{3,32})$/i.test(color) ? color : null)
  );
}
