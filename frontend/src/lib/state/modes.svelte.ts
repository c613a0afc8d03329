/** The modes with their colours, and the one that is active. */
import type { AppState } from "./app.svelte";
import type { ConfigState } from "./config.svelte";

export interface ModeLook {
  name: string;
  color: string;
  active: boolean;
  rows: number;
}

const PALETTE = ["#5fa9f5", "#4ac38a", "#e5ad3f", "#c78bf2", "#f08a5d", "#3fc4c9", "#f073a8", "#a3c94a"];

export class ModesState {
  readonly current: string;
  readonly list: ModeLook[];

  constructor(
    private readonly app: AppState,
    config: ConfigState,
  ) {
    this.current = $derived(app.status.mode);
    this.list = $derived(
      config.modes.map((mode, index) => ({
        name: mode.name,
        color: safeColor(mode.color) ?? PALETTE[index % PALETTE.length]!,
        active: mode.name === app.status.mode,
        rows: mode.mappings?.length ?? 0,
      })),
    );
  }

  colorOf(name: string): string {
    return this.list.find((mode) => mode.name === name)?.color ?? "var(--unmatched)";
  }

  switch(mode: string): Promise<boolean> {
    return this.app.switchMode(mode);
  }
}

/** Gives a colour that is one, and nothing else: it comes from a file that anybody may have written. */
export function safeColor(color: string | null | undefined): string | null {
  return color && /^(#[0-9a-f]{3,8}|[a-z]{3,32})$/i.test(color) ? color : null;
}
