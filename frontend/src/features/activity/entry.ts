/** An entry of the audit log in words. Pure. */
import type { AuditView } from "$lib/client/types";

const CALLERS: Record<string, string> = { window: "You, in the window", gui: "You, in the window", bridge: "You, in the window", cli: "You, in a terminal", mcp: "An agent", http: "An agent over HTTP", tray: "You, in the tray" };
const OWN = ["window", "gui", "bridge", "tray"];
const OUTCOMES: Record<string, string> = { ok: "Done", started: "Not finished" };

export function who({ client, executable, caller }: AuditView): string {
  if (OWN.includes(caller)) return CALLERS[caller]!;
  return client ?? executable?.split(/[\\/]/).at(-1) ?? CALLERS[caller] ?? caller;
}

/** Gives a tool's name for people: `config.set_mode` and `conductor_set_mode` become “set mode”. */
export function toolWords(tool: string): string {
  const plain = tool.replace(/^conductor_/, "").replace(/[._]/g, " ");
  return plain.charAt(0).toUpperCase() + plain.slice(1);
}

export function outcomeWords(outcome: string): string {
  return OUTCOMES[outcome] ?? outcome.charAt(0).toUpperCase() + outcome.slice(1).replaceAll("_", " ");
}

export function duration(duration_ms: number | null): string {
  if (duration_ms === null) return "";
  if (duration_ms < 1_000) return `${duration_ms < 10 ? duration_ms.toFixed(1) : Math.round(duration_ms)} ms`;
  return `${(duration_ms / 1_000).toFixed(1)} s`;
}

/** Gives the time of today's entries, the day too of others. */
export function timeWords(at: string, now: Date): string {
  const when = new Date(at);
  return when.toDateString() === now.toDateString() ? when.toLocaleTimeString() : when.toLocaleString();
}
