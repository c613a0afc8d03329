/** The guard that ignores late answers. */
import { expect, it } from "vitest";
import { LatestRequest } from "$lib/latest";

it("only the newest request is the latest", () => {
  const requests = new LatestRequest();
  const first = requests.start();
  expect(first()).toBe(true);
  const second = requests.start();
  expect([first(), second()]).toEqual([false, true]);
});

it("a request that was cancelled is not the latest", () => {
  const requests = new LatestRequest();
  const isLatest = requests.start();
  requests.cancel();
  expect(isLatest()).toBe(false);
});

it("following the newest request does not outdate it", () => {
  const requests = new LatestRequest();
  const isLatest = requests.start();
  const stillCurrent = requests.current();
  expect([isLatest(), stillCurrent()]).toEqual([true, true]);
  requests.start();
  expect([isLatest(), stillCurrent()]).toEqual([false, false]);
});

it("guards are independent of each other", () => {
  const [lists, details] = [new LatestRequest(), new LatestRequest()];
  const isLatest = lists.start();
  details.start();
  expect(isLatest()).toBe(true);
});
