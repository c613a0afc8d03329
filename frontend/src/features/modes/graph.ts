/** The ways between modes: mappings and app profiles that change the mode. */
import { localized } from "$language/language.svelte";
import { parseScope } from "$lib/scopes";
import type { Overlap, Profile } from "$lib/client/types";
import type { PlacedRow } from "$lib/state/config.svelte";
import { strings } from "./strings";

export type Behaviour = "switch" | "momentary" | "toggle" | "next" | "previous" | "profile";
/** The id of the source node for app profiles and for mappings that work in all modes. */
export const ANYWHERE = "\u0000anywhere";

export interface ModeSwitch {
  behaviour: Behaviour;
  from: string;
  to: string;
  /** The description of the trigger, or the name of the app profile. */
  by: string;
  row: PlacedRow | null;
  /** Whether this is the way back of a toggle, to the mode that was active before. */
  isBack?: boolean;
}
export const BEHAVIOURS: Record<Behaviour, string> = localized(() => ({
  switch: strings.switch,
  momentary: strings.whileHeld,
  toggle: strings.toggle,
  next: strings.next,
  previous: strings.previous,
  profile: strings.appInForeground,
}));

interface ActionNode {
  type?: string;
  mode?: string | null;
  behaviour?: Behaviour;
  action?: unknown;
  actions?: unknown[];
  then?: unknown;
  else?: unknown;
}

/** Return an action and all actions nested in the action. */
export function flattenAction(action: unknown): ActionNode[] {
  if (Array.isArray(action)) return action.flatMap(flattenAction);
  if (!action || typeof action !== "object") return [];
  const node = action as ActionNode;
  return [node, ...[node.action, node.actions, node.then, node.else].flatMap(flattenAction)];
}

/** Return the mode changes of all mappings and app profiles. */
export function findModeChanges(
  rows: readonly PlacedRow[],
  modes: readonly string[],
  profiles: readonly Profile[],
): ModeSwitch[] {
  const found: ModeSwitch[] = [];
  for (const row of rows) {
    if (!row.mapping.enabled) continue;
    const from = parseScope(row.scope).kind === "mode" ? parseScope(row.scope).name : ANYWHERE;
    for (const node of flattenAction(row.mapping.action)) {
      if (node.type !== "ModeChange") continue;
      const behaviour = behaviourOf(node, from);
      const to = node.mode ?? adjacentMode(from, behaviour, modes);
      if (to !== null) found.push({ behaviour, from, to, by: row.words.trigger, row });
    }
  }
  for (const profile of profiles) {
    if (profile.enabled && profile.mode)
      found.push({
        behaviour: "profile",
        from: ANYWHERE,
        to: profile.mode,
        by: profile.name,
        row: null,
      });
  }
  return found;
}

/** Return what a mode change does. A toggle that does not work in its mode only leads there. */
function behaviourOf({ behaviour = "switch", mode }: ActionNode, from: string): Behaviour {
  return behaviour === "toggle" && from !== ANYWHERE && from !== mode ? "switch" : behaviour;
}

/**
 * Return the next or previous mode in the list. From ANYWHERE, the target is any mode, which is an
 * empty string. Returns null for other behaviours.
 */
function adjacentMode(from: string, behaviour: Behaviour, modes: readonly string[]): string | null {
  if (behaviour !== "next" && behaviour !== "previous") return null;
  if (from === ANYWHERE) return "";
  const at = modes.indexOf(from);
  return modes[(at + (behaviour === "next" ? 1 : -1) + modes.length) % modes.length] ?? null;
}

/** The target of a way back to whichever mode was active before. */
export const PREVIOUS_MODE = "\u0000previous";

/** Return the ways into a mode and out of it, for mappings that work there or in all modes. */
export function findWays(
  mode: string,
  ways: readonly ModeSwitch[],
): { into: ModeSwitch[]; out: ModeSwitch[] } {
  /** Whether a mapping goes there and back, and works in the mode from which it goes back. */
  const goesBack = ({ behaviour, from, to }: ModeSwitch): boolean =>
    behaviour === "toggle" && (from === ANYWHERE || from === to);
  const into: ModeSwitch[] = [];
  const out: ModeSwitch[] = [];
  for (const way of ways) {
    const anywhere = way.from === ANYWHERE;
    if (way.to === mode || (way.to === "" && anywhere)) into.push(way);
    else if (goesBack(way)) into.push({ ...way, from: way.to, to: mode, isBack: true });
    if (way.to === mode && goesBack(way))
      out.push({ ...way, from: mode, to: PREVIOUS_MODE, isBack: true });
    else if (way.from === mode) out.push(way);
    else if (anywhere && way.to !== mode && way.behaviour !== "profile") out.push(way);
  }
  return { into, out };
}

/** Return whether a mode change lasts only while a control is held or an app is in front. */
export const isTemporary = (behaviour: Behaviour): boolean =>
  behaviour === "momentary" || behaviour === "profile";

/**
 * Return the modes that a mapping switches to and from which no mapping leads back. A mapping of a
 * profile is no way back, because it works only while its app is in the foreground.
 */
export function findDeadEnds(
  modes: readonly string[],
  ways: readonly ModeSwitch[],
): ReadonlySet<string> {
  const lasts = ({ behaviour, row }: ModeSwitch): boolean =>
    !isTemporary(behaviour) && row !== null && parseScope(row.scope).kind !== "profile";
  return new Set(
    modes.filter((mode) => {
      const { into, out } = findWays(mode, ways.filter(lasts));
      return into.some((way) => way.from !== mode && !way.isBack) && !out.length;
    }),
  );
}

/** Return the reasons why modes are unreachable, by the name of the mode. */
export function findUnreachable(overlaps: readonly Overlap[]): ReadonlyMap<string, string> {
  const found = overlaps.filter((one) => one.kind === "unreachable_mode");
  return new Map(
    found.flatMap((one) =>
      one.places.map((place) => [place.replace(/^mode:/, ""), one.message] as const),
    ),
  );
}
