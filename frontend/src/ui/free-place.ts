/** Where toasts may stand without covering what the user needs next. */

export interface Box {
  left: number;
  top: number;
  right: number;
  bottom: number;
}

/** What must stay visible: the main button of a place, an open dialog, and marked elements. */
const NEEDED = ".button.primary, .button.danger, .ui-dialog, [data-keep-clear]";
/** What is covered only if nothing else is left, such as an answer that is being read. */
const READ = "[data-rather-clear]";
const NEEDED_WEIGHT = 100;
const MARGIN = 16;
/** The height of the top bar and the header of a view, whose buttons stay free. */
const HEADERS = 96;

/** Return the places for a box of this size in the window, the preferred one first. */
export function listPlaces(size: { width: number; height: number }, window: Box): Box[] {
  const left = window.left + MARGIN;
  const right = window.right - MARGIN - size.width;
  const centre = (window.left + window.right - size.width) / 2;
  const bottom = window.bottom - MARGIN - size.height;
  const top = window.top + HEADERS + MARGIN;
  const at = (x: number, y: number): Box => ({
    left: x,
    top: y,
    right: x + size.width,
    bottom: y + size.height,
  });
  return [
    at(centre, bottom),
    at(left, bottom),
    at(right, bottom),
    at(right, top),
    at(centre, top),
    at(left, top),
    at(right, window.top + MARGIN),
    at(left, window.top + MARGIN),
  ];
}

/** Return the first of the places that covers least of the obstacles, by their weights. */
export function findFreePlace(
  places: readonly Box[],
  obstacles: readonly { box: Box; weight: number }[],
): Box {
  let best = places[0]!;
  let least = Infinity;
  for (const place of places) {
    const covered = obstacles.reduce(
      (sum, { box, weight }) => sum + weight * overlapArea(place, box),
      0,
    );
    if (covered < least) [best, least] = [place, covered];
  }
  return best;
}

/** Return the obstacles on the screen; those of an open dialog only, if there is one. */
export function findObstacles(): { box: Box; weight: number }[] {
  const dialog = [...document.querySelectorAll("[role='dialog']")].at(-1);
  const list = (selector: string, weight: number): { box: Box; weight: number }[] =>
    [...(dialog?.querySelectorAll(selector) ?? document.querySelectorAll(selector))].map(
      (element) => ({ box: element.getBoundingClientRect(), weight }),
    );
  const own = dialog?.matches(NEEDED)
    ? [{ box: dialog.getBoundingClientRect(), weight: NEEDED_WEIGHT }]
    : [];
  return [...own, ...list(NEEDED, NEEDED_WEIGHT), ...list(READ, 1)];
}

function overlapArea(one: Box, other: Box): number {
  const width = Math.min(one.right, other.right) - Math.max(one.left, other.left);
  const height = Math.min(one.bottom, other.bottom) - Math.max(one.top, other.top);
  return width > 0 && height > 0 ? width * height : 0;
}
