/** Which mappings change the mode, as a graph, and where its nodes stand. Pure. */
import type { Overlap, Profile } from "$lib/client/types";
import type { PlacedRow } from "$lib/state/config.svelte";

export type Behaviour = "switch" | "momentary" | "toggle" | "next" | "previous" | "profile";
/** Where mappings of all modes and of profiles start from. */
export const ANYWHERE = "\u0000anywhere";

export interface Way {
  behaviour: Behaviour;
  from: string;
  to: string;
  /** The control, or the profile's name. */
  by: string;
  row: PlacedRow | null;
}
/** All ways of one kind between two modes. */
export interface Edge {
  key: string;
  from: string;
  to: string;
  behaviour: Behaviour;
  ways: Way[];
}

export const BEHAVIOURS: Record<Behaviour, string> = {
  switch: "Switch",
  momentary: "While held",
  toggle: "There and back",
  next: "Next",
  previous: "Previous",
  profile: "App in front",
};

interface Part {
  type?: string;
  mode?: string | null;
  behaviour?: Behaviour;
  action?: unknown;
  actions?: unknown[];
  then?: unknown;
  else?: unknown;
}

/** Gives an action and all that it consists of. */
export function partsOf(action: unknown): Part[] {
  if (Array.isArray(action)) return action.flatMap(partsOf);
  if (!action || typeof action !== "object") return [];
  const part = action as Part;
  return [part, ...[part.action, part.actions, part.then, part.else].flatMap(partsOf)];
}

/** Gives every way from one mode to another. */
export function ways(rows: readonly PlacedRow[], modes: readonly string[], profiles: readonly Profile[]): Way[] {
  const found: Way[] = [];
  for (const row of rows) {
    if (!row.mapping.enabled) continue;
    const from = row.scope.startsWith("mode:") ? row.scope.slice(5) : ANYWHERE;
    for (const part of partsOf(row.mapping.action)) {
      if (part.type !== "ModeChange") continue;
      const behaviour = part.behaviour ?? "switch";
      const to = part.mode ?? beside(from, behaviour, modes);
      if (to !== null) found.push({ behaviour, from, to, by: row.words.trigger, row });
    }
  }
  for (const profile of profiles) {
    if (profile.enabled && profile.mode) found.push({ behaviour: "profile", from: ANYWHERE, to: profile.mode, by: profile.name, row: null });
  }
  return found;
}

/** Gives the mode that next or previous leads to; from anywhere that is any: an empty text. */
function beside(from: string, behaviour: Behaviour, modes: readonly string[]): string | null {
  if (behaviour !== "next" && behaviour !== "previous") return null;
  if (from === ANYWHERE) return "";
  const at = modes.indexOf(from);
  return modes[(at + (behaviour === "next" ? 1 : -1) + modes.length) % modes.length] ?? null;
}

export function edges(all: readonly Way[], modes: readonly string[]): Edge[] {
  const found = new Map<string, Edge>();
  for (const way of all) {
    if (way.from === way.to || !modes.includes(way.to)) continue;
    const key = JSON.stringify([way.from, way.to, way.behaviour]);
    const edge = found.get(key) ?? { key, from: way.from, to: way.to, behaviour: way.behaviour, ways: [] };
    edge.ways.push(way);
    found.set(key, edge);
  }
  return [...found.values()];
}

/** Gives the reason for each mode that cannot be entered. */
export function unreachable(overlaps: readonly Overlap[]): ReadonlyMap<string, string> {
  const found = overlaps.filter((one) => one.kind === "unreachable_mode");
  return new Map(found.flatMap((one) => one.places.map((place) => [place.replace(/^mode:/, ""), one.message] as const)));
}

export const NODE = { width: 156, height: 56, gapX: 132, gapY: 36, pad: 24 } as const;

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

/** Puts modes in columns by how many changes they are away from the start; what cannot be entered comes last. */
export function layout(modes: readonly string[], start: string, all: readonly Edge[], closed: ReadonlySet<string>): Layout {
  const depth = depths(modes, start, all, closed);
  const anywhere = all.some((edge) => edge.from === ANYWHERE);
  const columns: string[][] = [];
  for (const mode of [...(anywhere ? [ANYWHERE] : []), ...modes]) (columns[mode === ANYWHERE ? 0 : depth.get(mode)!] ??= []).push(mode);
  const filled = columns.filter((column) => column?.length).map((column) => column.sort((a, b) => Number(a === ANYWHERE) - Number(b === ANYWHERE)));
  const tallest = Math.max(1, ...filled.map((column) => column.length));
  const step = NODE.height + NODE.gapY;
  const nodes = filled.flatMap((column, at) =>
    column.map((id, row) => ({ id, x: NODE.pad + at * (NODE.width + NODE.gapX), y: NODE.pad + (row + (tallest - column.length) / 2) * step })),
  );
  return { nodes, width: filled.length * (NODE.width + NODE.gapX) - NODE.gapX + 2 * NODE.pad + 24, height: tallest * step - NODE.gapY + 2 * NODE.pad };
}

function depths(modes: readonly string[], start: string, all: readonly Edge[], closed: ReadonlySet<string>): Map<string, number> {
  const depth = new Map<string, number>([[start, 0]]);
  const waiting = [start, ANYWHERE];
  while (waiting.length) {
    const from = waiting.shift()!;
    for (const edge of all) {
      if (edge.from !== from || depth.has(edge.to) || closed.has(edge.to)) continue;
      depth.set(edge.to, (depth.get(from) ?? 0) + 1);
      waiting.push(edge.to);
    }
  }
  const last = Math.max(...depth.values());
  for (const mode of modes) if (!depth.has(mode)) depth.set(mode, last + 1);
  return depth;
}

/** Gives the line of an edge, and where its words stand. Ways there and back bow to different sides. */
export function line(from: Node, to: Node, offset: number): { path: string; x: number; y: number } {
  const { width, height } = NODE;
  const forward = to.x > from.x;
  const same = to.x === from.x;
  const x1 = same || forward ? from.x + width : from.x;
  const x2 = forward ? to.x : same ? to.x + width : to.x + width;
  const y1 = from.y + height / 2 + offset;
  const y2 = to.y + height / 2 + offset;
  const reach = same ? 44 + Math.abs(offset) * 2 : Math.max(40, Math.abs(x2 - x1) / 2);
  const side = forward || same ? 1 : -1;
  const c1 = x1 + reach * side;
  const c2 = same ? x2 + reach : x2 - reach * side;
  const bow = same || y1 !== y2 ? 0 : offset * 2;
  return { path: `M ${x1} ${y1} C ${c1} ${y1 + bow}, ${c2} ${y2 + bow}, ${x2} ${y2}`, x: (x1 + 3 * c1 + 3 * c2 + x2) / 8, y: (y1 + y2) / 2 + bow * 0.75 };
}
