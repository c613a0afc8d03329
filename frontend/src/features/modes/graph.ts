/** The graph of mode changes, and the layout of its nodes. */
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

const MAX_LABEL_LENGTH = 21;

/** Return the label of an edge: the first mode change and the number of other mode changes. */
export function edgeLabel({ ways }: Edge): string {
  const [first] = ways;
  if (!first) return "";
  const word = first.behaviour === "switch" ? "" : `${BEHAVIOURS[first.behaviour]}: `;
  const others = ways.length > 1 ? ` ${strings.others(ways.length - 1)}` : "";
  const room = MAX_LABEL_LENGTH - others.length;
  const text = `${word}${first.by}`;
  const short = text.length > room ? `${text.slice(0, room - 1).trimEnd()}…` : text;
  return `${short}${others}`;
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
  const at = new Map(nodes.map((node) => [node.id, node]));
  const longest = Math.max(0, ...all.map((edge) => labelWidth(edgeLabel(edge))));
  const arcs = all.flatMap((edge) => {
    const [from, to] = [at.get(edge.from), at.get(edge.to)];
    if (!from || !to || from.x !== to.x || isAdjacent(from, to)) return [];
    // A curve reaches three quarters of the way to its control points.
    return [from.x + NODE.width + 0.75 * arcReach(from, to, true) + longest / 2];
  });
  return {
    nodes,
    width: Math.max(across * stepX - NODE.gapX + 2 * NODE.pad, ...arcs),
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

export interface Point {
  x: number;
  y: number;
}
/** The drawn line of an edge. */
export interface EdgeLine {
  /** The line as an SVG path. */
  path: string;
  /** Points along the line, evenly spaced from the start to the tip. */
  points: Point[];
  /** The preferred position of the label, from 0 at the start to 1 at the tip. */
  labelAt: number;
}
const LINE_STEPS = 40;

type Curve = readonly [Point, Point, Point, Point];

function createLine([a, b, c, d]: Curve, labelAt: number): EdgeLine {
  const points = Array.from({ length: LINE_STEPS + 1 }, (_, step) => {
    const t = step / LINE_STEPS;
    const parts = [(1 - t) ** 3, 3 * t * (1 - t) ** 2, 3 * t * t * (1 - t), t ** 3] as const;
    const mix = (of: "x" | "y"): number =>
      parts[0] * a[of] + parts[1] * b[of] + parts[2] * c[of] + parts[3] * d[of];
    return { x: mix("x"), y: mix("y") };
  });
  const path = `M ${a.x} ${a.y} C ${b.x} ${b.y}, ${c.x} ${c.y}, ${d.x} ${d.y}`;
  return { path, points, labelAt };
}

/** Return the line of an edge. Two edges in opposite directions are drawn apart. */
export function edgeLine(from: Node, to: Node, isPaired: boolean): EdgeLine {
  const { width, height } = NODE;
  const side = to.x > from.x || (to.x === from.x && to.y > from.y) ? 1 : -1;
  const off = isPaired ? -12 * side : 0;
  if (to.x === from.x) return verticalLine(from, to, side, isPaired);
  const x1 = side > 0 ? from.x + width : from.x;
  const x2 = side > 0 ? to.x : to.x + width;
  const y1 = from.y + height / 2 + off;
  const y2 = to.y + height / 2 + off;
  const reach = Math.max(40, Math.abs(x2 - x1) / 2) * side;
  return createLine(
    [
      { x: x1, y: y1 },
      { x: x1 + reach, y: y1 },
      { x: x2 - reach, y: y2 },
      { x: x2, y: y2 },
    ],
    // Labels of sloped edges are placed near the start, where fewer edges cross.
    Math.abs(y1 - y2) > 20 ? 0.37 : 0.5,
  );
}

const isAdjacent = (from: Node, to: Node): boolean =>
  Math.abs(to.y - from.y) <= NODE.height + NODE.gapY + 8;

/** Return how far the line between modes that are not neighbours in a column leads around. */
const arcReach = (from: Node, to: Node, isOuter: boolean): number =>
  60 + (20 * Math.abs(to.y - from.y)) / (NODE.height + NODE.gapY) + (isOuter ? 60 : 0);

function verticalLine(from: Node, to: Node, side: number, isPaired: boolean): EdgeLine {
  const { width, height } = NODE;
  if (isAdjacent(from, to)) {
    const x = from.x + width / 2 + (isPaired ? 44 * side : 0);
    const [y1, y2] =
      side > 0
        ? [from.y + height, to.y]
        : [from.y + (from.id === ANYWHERE ? 10 : 0), to.y + height];
    return createLine(
      [
        { x, y: y1 },
        { x, y: y1 + (y2 - y1) / 3 },
        { x, y: y2 - (y2 - y1) / 3 },
        { x, y: y2 },
      ],
      // Labels of paired lines are placed near their starts, so that they are below each other.
      isPaired ? 0.25 : 0.5,
    );
  }
  const [x, y1, y2] = [from.x + width, from.y + height / 2, to.y + height / 2];
  const reach = arcReach(from, to, isPaired && side < 0);
  return createLine(
    [
      { x, y: y1 },
      { x: x + reach, y: y1 },
      { x: x + reach, y: y2 },
      { x, y: y2 },
    ],
    0.5,
  );
}

export const LABEL_HEIGHT = 18;
/** Return the width of a label, from the mean width of its letters. */
export const labelWidth = (text: string): number => text.length * 6 + 20;

interface Box {
  left: number;
  top: number;
  right: number;
  bottom: number;
}
const boxAround = ({ x, y }: Point, width: number, height: number): Box => ({
  left: x - width / 2,
  top: y - height / 2,
  right: x + width / 2,
  bottom: y + height / 2,
});
/** Return the area that two boxes share. */
const sharedArea = (a: Box, b: Box): number =>
  Math.max(0, Math.min(a.right, b.right) - Math.max(a.left, b.left)) *
  Math.max(0, Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top));
const contains = (box: Box, { x, y }: Point): boolean =>
  x > box.left && x < box.right && y > box.top && y < box.bottom;

/** The penalty for each unit of area that a label shares with a mode or another label. */
const COVER_PENALTY = 5;
/** The penalty for each point of another line under a label. */
const LINE_PENALTY = 10;

/**
 * Return the centre of the label of each line: on its own line, and off other labels, modes and
 * lines where there is room.
 */
export function placeLabels(
  lines: readonly EdgeLine[],
  texts: readonly string[],
  nodes: readonly Node[],
): Point[] {
  const modes = nodes.map(({ x, y }): Box => ({
    left: x,
    top: y,
    right: x + NODE.width,
    bottom: y + NODE.height,
  }));
  const boxOf = (at: Point, index: number): Box =>
    boxAround(at, labelWidth(texts[index]!), LABEL_HEIGHT);
  const places: (Point | null)[] = lines.map(() => null);
  function place(index: number): Point {
    const line = lines[index]!;
    const others = lines.filter((one) => one !== line);
    const taken = [...modes];
    places.forEach((at, other) => {
      if (at && other !== index) taken.push(boxOf(at, other));
    });
    const costAt = (step: number): number => {
      const box = boxOf(line.points[step]!, index);
      const crossed = others.flatMap((one) => one.points.filter((point) => contains(box, point)));
      return (
        COVER_PENALTY * taken.reduce((sum, one) => sum + sharedArea(one, box), 0) +
        LINE_PENALTY * crossed.length +
        Math.abs(step / LINE_STEPS - line.labelAt)
      );
    };
    // The tip is left free, because a label there would cover the arrowhead.
    const steps = Array.from({ length: LINE_STEPS - 6 }, (_, index) => index + 2);
    const costs = steps.map(costAt);
    return line.points[steps[costs.indexOf(Math.min(...costs))]!]!;
  }
  // Long labels of short lines have the fewest places, so they come first. The second round uses
  // what the first one left free.
  const room = lines.map((line, index) => length(line) - labelWidth(texts[index]!));
  const order = lines.map((_, index) => index).sort((a, b) => room[a]! - room[b]!);
  for (const index of [...order, ...order]) places[index] = place(index);
  return places.map((at) => at!);
}

const length = ({ points }: EdgeLine): number =>
  points.slice(1).reduce((sum, to, index) => sum + distance(points[index]!, to), 0);
const distance = (from: Point, to: Point): number => Math.hypot(to.x - from.x, to.y - from.y);
