/**
 * The layout of the mode map: cards in columns, and lines from the controls on the cards to the
 * modes to which they lead. Lines run only in the gutters between columns and in lanes above and
 * below the cards, so that no line crosses a text.
 */
import { countLines, estimateWidth } from "$lib/text";
import { ANYWHERE, BEHAVIOURS, isTemporary, type ModeSwitch } from "./graph";

export const CARD = {
  minWidth: 184,
  maxWidth: 248,
  head: 50,
  row: 26,
  foot: 6,
  gap: 28,
  line: 16,
} as const;
/** The widths beside the texts: of the name in the head, and of the control in a row. */
const HEAD_MARGIN = 32;
const ROW_MARGIN = 44;
/** The space for the dot before the mode of a row, and for the gap between control and mode. */
const DOT = 12;
const ROW_GAP = 6;
const NAME_SIZE = 13;
const ROW_SIZE = 12;
/** The font of the system may be wider than the estimate. */
const SAFETY = 0.9;
const PADDING = 24;
/** The distance between parallel lines. */
const TRACK = 9;
/** The space between a card and the nearest line, which has room for the tip of a line. */
const CLEARANCE = 18;
const MIN_GUTTER = 44;
/** How far lines that enter a card from the left are above those that enter from the right. */
const ENTRY_OFFSET = 6;
const MAX_COLUMNS = 4;
const MAX_ROWS = 8;

export interface Point {
  x: number;
  y: number;
}
/** A mode, or the mappings and app profiles that work in all modes. */
export interface Card {
  id: string;
  column: number;
  x: number;
  y: number;
  height: number;
  /** The height of the head, in which the whole name has room. */
  head: number;
  /** The ways out that have a row of their own. */
  rows: Row[];
  /** The number of further ways out, which share the last row. */
  further: number;
}
export interface Row {
  way: ModeSwitch;
  /** The distance from the top of the card. */
  y: number;
  height: number;
  /** Whether the mode is below the control, because a line has no room for both. */
  isStacked: boolean;
}
/** A line from a row of a card to the mode to which the row leads. */
export interface Line {
  key: string;
  from: string;
  to: string;
  way: ModeSwitch;
  temporary: boolean;
  /** The corners of the line, from the row to the tip. */
  points: Point[];
}
export interface Layout {
  cards: Card[];
  lines: Line[];
  cardWidth: number;
  width: number;
  height: number;
}

/** Return the layout of the modes and their ways out for the available width. */
export function layoutModes(
  modes: readonly string[],
  start: string,
  ways: readonly ModeSwitch[],
  available: number,
): Layout {
  const ids = orderCards(modes, start, ways);
  const columnCount = countColumns(ids.length, available);
  // Narrower cards are taller, which changes the gutters and thereby the width of the cards.
  for (let width: number = CARD.maxWidth; ;) {
    const cards = placeInColumns(
      ids.map((id) => createCard(id, ways, width)),
      columnCount,
    );
    const layout = new Router(cards, columnCount, available).layout();
    if (layout.cardWidth >= width) return layout;
    width = layout.cardWidth;
  }
}

/** Return the cards in the order in which modes are reached from the start. */
function orderCards(
  modes: readonly string[],
  start: string,
  ways: readonly ModeSwitch[],
): string[] {
  const first = modes.includes(start) ? start : modes[0];
  const order = new Set<string>();
  if (ways.some((way) => way.from === ANYWHERE)) order.add(ANYWHERE);
  if (first !== undefined) order.add(first);
  // A set visits the elements that are added during the loop, too.
  for (const id of order)
    for (const way of ways) if (way.from === id && modes.includes(way.to)) order.add(way.to);
  return [...order, ...modes.filter((mode) => !order.has(mode))];
}

function countColumns(cards: number, available: number): number {
  const room = available - 2 * PADDING + MIN_GUTTER;
  const fitting = Math.floor(room / (CARD.minWidth + MIN_GUTTER + 2 * TRACK));
  // About as many columns as rows: fewer lines have to pass a column than in a single row.
  return Math.max(1, Math.min(fitting, Math.ceil(Math.sqrt(cards)), MAX_COLUMNS));
}

function createCard(id: string, ways: readonly ModeSwitch[], width: number): Card {
  const own = ways.filter((way) => way.from === id && way.to !== id);
  const shown = own.length > MAX_ROWS ? own.slice(0, MAX_ROWS - 1) : own;
  const further = own.length - shown.length;
  const lines = id === ANYWHERE ? 1 : linesOf(id, width - HEAD_MARGIN, NAME_SIZE);
  const head = CARD.head + (lines - 1) * CARD.line;
  let height = head;
  const rows = shown.map((way) => {
    const row = createRow(way, height, width - ROW_MARGIN);
    height += row.height;
    return row;
  });
  height += (further ? CARD.row : 0) + (shown.length ? CARD.foot : 0);
  return { id, column: 0, x: 0, y: 0, height, head, rows, further };
}

function createRow(way: ModeSwitch, y: number, width: number): Row {
  const to = way.to || BEHAVIOURS[way.behaviour];
  const needed = ((estimateWidth(way.by) + estimateWidth(to)) * ROW_SIZE) / SAFETY;
  const isStacked = needed + ROW_GAP + DOT > width;
  const lines = isStacked
    ? linesOf(way.by, width, ROW_SIZE) + linesOf(to, width - DOT, ROW_SIZE)
    : 1;
  return { way, y, height: CARD.row + (lines - 1) * CARD.line, isStacked };
}

const linesOf = (text: string, width: number, size: number): number =>
  countLines(text, width * SAFETY, size);

/** Distribute the cards over columns of about the same height, in their order. */
function placeInColumns(cards: Card[], count: number): Card[] {
  const heights = cards.map((card) => card.height + CARD.gap);
  const share = heights.reduce((sum, one) => sum + one, 0) / count;
  let column = 0;
  let filled = 0;
  return cards.map((card, index) => {
    const left = cards.length - index;
    const isFull = filled > 0 && filled + heights[index]! / 2 > share;
    // Each column gets at least one card.
    if (column < count - 1 && (isFull || left <= count - 1 - column)) {
      if (filled > 0) [column, filled] = [column + 1, 0];
    }
    const placed = { ...card, column, y: filled };
    filled += heights[index]!;
    return placed;
  });
}

/** The order of the vertical lines in a gutter: those of the left column come first. */
const CLASSES = ["same", "right", "left"] as const;
type Direction = (typeof CLASSES)[number];

/** A vertical line in a gutter, which all lines to one mode share. */
interface Trunk {
  direction: Direction;
  target: Card;
  sources: number[];
  x: number;
}

class Router {
  private readonly at: ReadonlyMap<string, Card>;
  private readonly trunks: Map<string, Trunk>[];
  private readonly lanes = { top: new Map<string, number>(), bottom: new Map<string, number>() };
  private readonly tallest: number;

  constructor(
    private readonly cards: Card[],
    private readonly columnCount: number,
    private readonly available: number,
  ) {
    this.at = new Map(cards.map((card) => [card.id, card]));
    this.trunks = Array.from({ length: columnCount }, () => new Map<string, Trunk>());
    this.tallest = Math.max(0, ...cards.map((card) => card.y + card.height));
  }

  layout(): Layout {
    const links = this.cards.flatMap((card) => this.linksOf(card));
    for (const link of links) this.reserve(link);
    const gutters = this.trunks.map((trunks, index) =>
      trunks.size
        ? Math.max(MIN_GUTTER, 2 * CLEARANCE + (trunks.size - 1) * TRACK)
        : index < this.columnCount - 1
          ? MIN_GUTTER
          : 0,
    );
    const between = gutters.reduce((sum, one) => sum + one, 0);
    const cardWidth = Math.floor(
      Math.min(
        CARD.maxWidth,
        Math.max(CARD.minWidth, (this.available - 2 * PADDING - between) / this.columnCount),
      ),
    );
    const top = PADDING + this.lanes.top.size * TRACK;
    const columnX: number[] = [];
    let x = PADDING;
    for (const gutter of gutters) {
      columnX.push(x);
      x += cardWidth + gutter;
    }
    this.trunks.forEach((trunks, index) =>
      this.placeTrunks(trunks, columnX[index]! + cardWidth, gutters[index]!),
    );
    for (const card of this.cards) [card.x, card.y] = [columnX[card.column]!, card.y + top];
    const bottom = top + this.tallest;
    return {
      cards: this.cards,
      lines: links.map((link) => this.route(link, cardWidth, top, bottom)),
      cardWidth,
      width: x + PADDING,
      height: bottom + this.lanes.bottom.size * TRACK + PADDING,
    };
  }

  private linksOf(card: Card): Link[] {
    return card.rows.flatMap((row) => {
      const target = this.at.get(row.way.to);
      return target ? [{ source: card, target, row }] : [];
    });
  }

  private reserve(link: Link): void {
    const { source, target } = link;
    for (const { gutter, direction } of gutterUses(source, target)) {
      const trunk = this.trunk(gutter, direction, target);
      trunk.sources.push(rowY(link));
    }
    if (!isLane(source, target)) return;
    const side = this.laneSide(link);
    const key = laneKey(source, target);
    if (!this.lanes[side].has(key)) this.lanes[side].set(key, this.lanes[side].size);
  }

  private trunk(gutter: number, direction: Direction, target: Card): Trunk {
    const key = `${direction} ${target.id}`;
    const trunks = this.trunks[gutter]!;
    const found = trunks.get(key) ?? { direction, target, sources: [], x: 0 };
    trunks.set(key, found);
    return found;
  }

  /** All lines of one lane key use the same side, so that they can share a lane. */
  private laneSide({ source, target }: Link): "top" | "bottom" {
    const key = laneKey(source, target);
    if (this.lanes.top.has(key)) return "top";
    if (this.lanes.bottom.has(key)) return "bottom";
    const way = source.y + source.height / 2 + target.y;
    return way <= this.tallest ? "top" : "bottom";
  }

  /** Order the vertical lines of a gutter so that few lines cross. */
  private placeTrunks(trunks: Map<string, Trunk>, left: number, width: number): void {
    const goesUp = ({ sources, target }: Trunk): boolean =>
      sources.reduce((sum, y) => sum + y, 0) / sources.length > target.y;
    const order = [...trunks.values()].sort(
      (a, b) =>
        CLASSES.indexOf(a.direction) - CLASSES.indexOf(b.direction) ||
        Number(goesUp(b)) - Number(goesUp(a)) ||
        (goesUp(a) ? a.target.y - b.target.y : b.target.y - a.target.y),
    );
    const first = left + (width - (order.length - 1) * TRACK) / 2;
    order.forEach((trunk, index) => (trunk.x = first + index * TRACK));
  }

  private route(link: Link, cardWidth: number, top: number, bottom: number): Line {
    const { source, target, row } = link;
    const uses = gutterUses(source, target);
    const xs = uses.map(
      ({ gutter, direction }) => this.trunks[gutter]!.get(`${direction} ${target.id}`)!.x,
    );
    const exitsRight = target.column >= source.column;
    const entersLeft = target.column > source.column;
    const from = { x: source.x + (exitsRight ? cardWidth : 0), y: rowY(link) };
    const to = {
      x: target.x + (entersLeft ? 0 : cardWidth),
      y: target.y + target.head / 2 + (entersLeft ? -ENTRY_OFFSET : ENTRY_OFFSET),
    };
    const points = [from, { x: xs[0]!, y: from.y }];
    if (isLane(source, target)) {
      const side = this.laneSide(link);
      const lane = this.lanes[side].get(laneKey(source, target))!;
      const y = side === "top" ? top - (lane + 1) * TRACK : bottom + (lane + 1) * TRACK;
      points.push({ x: xs[0]!, y }, { x: xs[1]!, y });
    }
    points.push({ x: xs.at(-1)!, y: to.y }, to);
    return {
      key: `${source.id} ${row.y}`,
      from: source.id,
      to: target.id,
      way: row.way,
      temporary: isTemporary(row.way.behaviour),
      points,
    };
  }
}

interface Link {
  source: Card;
  target: Card;
  row: Row;
}

const rowY = ({ source, row }: Link): number => source.y + row.y + CARD.row / 2;
const isLane = (source: Card, target: Card): boolean => Math.abs(source.column - target.column) > 1;
const laneKey = (source: Card, target: Card): string =>
  `${source.column < target.column ? "right" : "left"} ${target.id}`;

/** Return the gutters that a line uses: gutter 0 is between the columns 0 and 1. */
function gutterUses(source: Card, target: Card): { gutter: number; direction: Direction }[] {
  const step = target.column - source.column;
  if (step === 0) return [{ gutter: source.column, direction: "same" }];
  if (step > 0) {
    const last = { gutter: target.column - 1, direction: "right" as const };
    return step === 1 ? [last] : [{ gutter: source.column, direction: "right" }, last];
  }
  const last = { gutter: target.column, direction: "left" as const };
  return step === -1 ? [last] : [{ gutter: source.column - 1, direction: "left" }, last];
}

const CORNER = 7;

/** Return a line as an SVG path with rounded corners. */
export function toPath(points: readonly Point[]): string {
  const [first, ...others] = points;
  let path = `M ${first!.x} ${first!.y}`;
  others.forEach((corner, index) => {
    const before = points[index]!;
    const after = points[index + 2];
    if (!after) return void (path += ` L ${corner.x} ${corner.y}`);
    const into = towards(corner, before);
    const outOf = towards(corner, after);
    path += ` L ${into.x} ${into.y} Q ${corner.x} ${corner.y} ${outOf.x} ${outOf.y}`;
  });
  return path;
}

/** Return the point at which a rounded corner begins or ends. */
function towards(corner: Point, other: Point): Point {
  const length = Math.hypot(other.x - corner.x, other.y - corner.y);
  const part = length ? Math.min(CORNER, length / 2) / length : 0;
  return { x: corner.x + (other.x - corner.x) * part, y: corner.y + (other.y - corner.y) * part };
}
