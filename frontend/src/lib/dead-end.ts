/** Finds mode changes from which no control leads back. Pure. */
import type { ActionInput } from "./client/types";
import { modeScope } from "./scopes";
import type { PlacedRow } from "./state/config.svelte";

interface ModeChange {
  behaviour: string;
  mode: string | null;
}

/** The behaviours that last. The others end when the control is released. */
const LASTING = ["switch", "toggle", "next", "previous"];

/** Return the lasting mode changes in an action and in the actions inside of it. */
function listModeChanges(action: unknown): ModeChange[] {
  if (Array.isArray(action)) return action.flatMap(listModeChanges);
  if (typeof action !== "object" || action === null) return [];
  const { type, behaviour = "switch", mode = null } = action as Record<string, unknown>;
  if (type !== "ModeChange") return Object.values(action).flatMap(listModeChanges);
  const change = { behaviour: String(behaviour), mode: typeof mode === "string" ? mode : null };
  return LASTING.includes(change.behaviour) ? [change] : [];
}

/**
 * Return the mode that an action switches to although no control leads out of this mode; null if
 * there is none.
 * @param scope the scope of the mapping that has the action
 * @param rows the other mappings
 */
export function findDeadEnd(
  action: ActionInput | null,
  scope: string,
  rows: readonly PlacedRow[],
): string | null {
  const own = listModeChanges(action);
  const leaves = ({ behaviour, mode }: ModeChange, from: string): boolean =>
    behaviour === "switch" ? mode !== from : true;
  for (const { mode } of own) {
    if (mode === null || scope === modeScope(mode)) continue;
    const works = (place: string): boolean => place === "global" || place === modeScope(mode);
    const others = rows
      .filter((row) => row.mapping.enabled && works(row.scope))
      .flatMap((row) => listModeChanges(row.mapping.action));
    const waysOut = [...others, ...(works(scope) ? own : [])];
    if (!waysOut.some((change) => leaves(change, mode))) return mode;
  }
  return null;
}

/** Return the action with each switch to a mode as a change there and back. */
export function goThereAndBack<T>(action: T, mode: string): T {
  if (Array.isArray(action)) return action.map((item: unknown) => goThereAndBack(item, mode)) as T;
  if (typeof action !== "object" || action === null) return action;
  const { type, mode: target } = action as Record<string, unknown>;
  if (type === "ModeChange") return target === mode ? { ...action, behaviour: "toggle" } : action;
  return Object.fromEntries(
    Object.entries(action).map(([name, item]) => [name, goThereAndBack(item as unknown, mode)]),
  ) as T;
}
