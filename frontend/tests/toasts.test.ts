/** Toasts stand where they cover nothing that is needed. */
import { describe, expect, it } from "vitest";
import { findFreePlace, listPlaces, type Box } from "$ui/free-place";

const WINDOW: Box = { left: 0, top: 0, right: 900, bottom: 600 };
const SIZE = { width: 380, height: 100 };
const PLACES = listPlaces(SIZE, WINDOW);
const place = (...obstacles: [box: Box, weight?: number][]): Box =>
  findFreePlace(
    PLACES,
    obstacles.map(([box, weight = 100]) => ({ box, weight })),
  );
const box = (left: number, top: number, right: number, bottom: number): Box => ({
  left,
  top,
  right,
  bottom,
});

describe("the place of toasts", () => {
  it("is at the bottom in the middle if nothing is there", () =>
    expect(place()).toEqual(box(260, 484, 640, 584)));
  it("is beside a button at the bottom", () =>
    expect(place([box(480, 535, 686, 563)]).right).toBeLessThan(480));
  it("is above a bar that is as wide as the window", () =>
    expect(place([box(48, 488, 900, 600)]).bottom).toBeLessThan(488));
  it("is under the headers, whose buttons stay free", () => {
    const found = place([box(0, 400, 900, 600)], [box(800, 50, 900, 90)]);
    expect(found.top).toBeGreaterThan(90);
    expect(found.bottom).toBeLessThan(400);
  });
  it("covers what is read rather than what is needed", () => {
    const found = place([box(48, 500, 900, 600)], [box(48, 48, 900, 600), 1]);
    expect(found.bottom).toBeLessThan(500);
  });
  it("is the preferred one if every place covers the same", () =>
    expect(place([WINDOW])).toEqual(PLACES[0]));
});
