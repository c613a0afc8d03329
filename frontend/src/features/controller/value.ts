/** Where a knob or fader stands by where the pointer is. Pure. */
import type { Part } from "./picture";

export const LABEL_ROOM = 38;

/** Gives the part of a fader on which its cap runs. */
export function faderTrack({ y, h }: Part): { top: number; height: number } {
  return { top: y + 14, height: h - LABEL_ROOM - 22 };
}

export function faderValue(part: Part, y: number): number {
  const { top, height } = faderTrack(part);
  return clamp((1 - (y - top) / height) * 127);
}

/** A knob is turned by dragging up and down, or sideways; the whole way is 160 units. */
export function knobValue(start: number, dx: number, dy: number): number {
  return clamp(start + ((dx - dy) / 160) * 127);
}

export function clamp(value: number): number {
  return Math.round(Math.max(0, Math.min(127, value)));
}

/** Gives where the arrow keys put it; null for other keys. */
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
