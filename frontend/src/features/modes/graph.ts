/** The graph of mode changes, and the layout of its nodes. */
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
}
/** All mode changes from one mode to another. */
export interface Edge {
  key: string;
  from: string;
  to: string;
  ways: ModeSwitch[];
  /**
   * Whether all mode changes of the edge are temporary: they last while a control is held or an app
   * is in the foreground.
   */
  temporary: boolean;
}

export const BEHAVIOURS: Record<Behaviour, string> = {
  switch: strings.switch,
  momentary: strings.whileHeld,
  toggle: strings.toggle,
  next: strings.next,
  previous: strings.previous,
  profile: strings.appInForeground,
};

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
      const behaviour = node.behaviour ?? "switch";
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

/** Group mode changes into edges, one for each pair of source and target. */
export function groupEdges(all: readonly ModeSwitch[], modes: readonly string[]): Edge[] {
  const found = new Map<string, Edge>();
  for (const way of all) {
    if (way.from === way.to || !modes.includes(way.to)) continue;
    const key = JSON.stringify([way.from, way.to]);
    const edge = found.get(key) ?? { key, from: way.from, to: way.to, ways: [], temporary: true };
    edge.ways.push(way);
    edge.temporary &&= way.behaviour === "momentary" || way.behaviour === "profile";
    found.set(key, edge);
  }
  return [...found.values()];
}

/** Return the label of an edge: the first mode change and the number of other mode changes. */
export function edgeLabel({ ways }: Edge): string {
  const [first] = ways;
  if (!first) return "";
  const word = first.behaviour === "switch" ? "" : `${BEHAVIOURS[first.behaviour]}: `;
  const room = ways.length > 1 ? 17 : 21;
  const text = `${word}${first.by}`;
  const short = text.length > room ? `${text.slice(0, room - 1)}…` : text;
  return ways.length > 1 ? `${short} +${ways.length - 1}` : short;
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

export const NODE = { width: 148, height: 56, gapX: 148, gapY: 40, pad: 24 } as const;
const MAX_COLUMNS = 4;

export interface Node {
  id: string;
  x: number;
  y: number;
}
export interface Layout {
  nodes: Node[];
  width: number;
  height: number;
}

/** Lay out modes in columns by distance from the start mode. Unreachable modes go below. */
export function layoutModes(modes: readonly string[], start: string, all: readonly Edge[]): Layout {
  const depth = computeDepths(start, all);
  const columns: string[][] = [];
  for (const mode of modes) if (depth.has(mode)) (columns[depth.get(mode)!] ??= []).push(mode);
  if (all.some((edge) => edge.from === ANYWHERE)) (columns[0] ??= []).push(ANYWHERE);
  const tallest = Math.max(1, ...columns.map((column) => column?.length ?? 0));
  const [stepX, stepY] = [NODE.width + NODE.gapX, NODE.height + NODE.gapY];
  const nodes = columns.flatMap((column, at) =>
    column.map((id, row): Node => ({
      id,
      x: NODE.pad + at * stepX,
      y: NODE.pad + (row + (tallest - column.length) / 2) * stepY,
    })),
  );
  const below = modes.filter((mode) => !depth.has(mode));
  const across = Math.max(columns.length, Math.min(3, below.length));
  below.forEach((id, at) =>
    nodes.push({
      id,
      x: NODE.pad + (at % across) * stepX,
      y: NODE.pad + (tallest + Math.floor(at / across)) * stepY + 8,
    }),
  );
  const rows = tallest + Math.ceil(below.length / Math.max(1, across));
  return {
    nodes,
    width: across * stepX - NODE.gapX + 2 * NODE.pad,
    height: rows * stepY - NODE.gapY + 2 * NODE.pad + (below.length ? 8 : 0),
  };
}

function computeDepths(start: string, all: readonly Edge[]): Map<string, number> {
  const depth = new Map<string, number>([[start, 0]]);
  const queue = [start, ANYWHERE];
  while (queue.length) {
    const from = queue.shift()!;
    for (const edge of all) {
      if (edge.from !== from || depth.has(edge.to)) continue;
      depth.set(edge.to, Math.min(MAX_COLUMNS - 1, (depth.get(from) ?? 0) + 1));
      queue.push(edge.to);
    }
  }
  return depth;
}

/**
 * Return the SVG path of an edge and the position of its label. If there is an edge in the other
 * direction too, the two edges are drawn apart.
 */
export function edgePath(
  from: Node,
  to: Node,
  isPaired: boolean,
): { path: string; x: number; y: number } {
  const { width, height, gapY } = NODE;
  const side = to.x > from.x || (to.x === from.x && to.y > from.y) ? 1 : -1;
  const off = isPaired ? -12 * side : 0;
  if (to.x === from.x) return verticalPath(from, to, side, isPaired, gapY);
  const x1 = side > 0 ? from.x + width : from.x;
  const x2 = side > 0 ? to.x : to.x + width;
  const y1 = from.y + height / 2 + off;
  const y2 = to.y + height / 2 + off;
  const reach = Math.max(40, Math.abs(x2 - x1) / 2) * side;
  // Labels of sloped edges are placed near the start, where fewer edges cross.
  const t = Math.abs(y1 - y2) > 20 ? 0.37 : 0.5;
  const [a, b, c, d] = [(1 - t) ** 3, 3 * t * (1 - t) ** 2, 3 * t * t * (1 - t), t ** 3];
  const x = a * x1 + b * (x1 + reach) + c * (x2 - reach) + d * x2;
  return {
    path: `M ${x1} ${y1} C ${x1 + reach} ${y1}, ${x2 - reach} ${y2}, ${x2} ${y2}`,
    x,
    y: (a + b) * y1 + (c + d) * y2,
  };
}

function verticalPath(
  from: Node,
  to: Node,
  side: number,
  isPaired: boolean,
  gapY: number,
): { path: string; x: number; y: number } {
  const { width, height } = NODE;
  if (Math.abs(to.y - from.y) <= height + gapY + 8) {
    const x = from.x + width / 2 + (isPaired ? 44 * side : 0);
    const [y1, y2] =
      side > 0
        ? [from.y + height, to.y]
        : [from.y + (from.id === ANYWHERE ? 10 : 0), to.y + height];
    return { path: `M ${x} ${y1} L ${x} ${y2}`, x, y: (y1 + y2) / 2 + (isPaired ? 9 * side : 0) };
  }
  const [x, y1, y2] = [from.x + width, from.y + height / 2, to.y + height / 2];
  return {
    path: `M ${x} ${y1} C ${x + 60} ${y1}, ${x + 60} ${y2}, ${x} ${y2}`,
    x: x + 45,
    y: (y1 + y2) / 2,
  };
}
