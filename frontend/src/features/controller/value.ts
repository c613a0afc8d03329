/** Values of knobs and faders from positions of the pointer and from keys. */
import type { Part } from "./picture";

/** Return the height below the track of a fader, for a label of two or three lines. */
export const labelRoom = ({ h }: Part): number => (h > 160 ? 54 : 38);

/** Return the range of positions that the cap of a fader moves along. */
export function faderTrack(part: Part): { top: number; height: number } {
  return { top: part.y + 14, height: part.h - labelRoom(part) - 22 };
}

export function faderValue(part: Part, y: number): number {
  const { top, height } = faderTrack(part);
  return clamp((1 - (y - top) / height) * 127);
}

/** Return the value of a dragged knob. A distance of 160 units covers the range from 0 to 127. */
export function knobValue(start: number, dx: number, dy: number): number {
  return clamp(start + ((dx - dy) / 160) * 127);
}

export function clamp(value: number): number {
  return Math.round(Math.max(0, Math.min(127, value)));
}

/** Return the value after an arrow, page, Home or End key; null for other keys. */
export function keyValue(value: number, key: string, isBig: boolean): number | null {
  const step = isBig ? 10 : 1;
  const to = {
    ArrowUp: value + step,
    ArrowDown: value - step,
    PageUp: value + 10,
    PageDown: value - 10,
    Home: 0,
    End: 127,
  }[key];
  return to === undefined ? null : clamp(to);
}
