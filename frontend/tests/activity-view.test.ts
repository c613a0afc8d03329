/** An event in the Activity view: what it says once, and its details. */
import { fireEvent, render, screen } from "@testing-library/svelte";
import { afterEach, expect, it, vi } from "vitest";
import type { ActivityEntry } from "$lib/client/types";
import EventItem from "../src/features/activity/EventItem.svelte";
import { describeAction } from "../src/features/activity/entry";
import { groupEntries } from "../src/features/activity/timeline";

const FAILURE = {
  id: 1,
  at: "2026-11-22T12:00:00Z",
  caller: "pad",
  client: "Mute, mapping 3 of mode Live",
  executable: null,
  pid: null,
  tool: "mapping.failed",
  tier: "stateful",
  permission: null,
  arguments: {},
  outcome: "action_failed",
  detail: "no MIDI output named OBS",
  duration_ms: null,
} as unknown as ActivityEntry;

afterEach(() => vi.restoreAllMocks());

function show(): HTMLElement {
  const [event] = groupEntries([FAILURE], describeAction);
  render(EventItem, {
    event: event!,
    describe: describeAction,
    proposerOf: () => null,
    onPlan: () => undefined,
    onVersion: () => undefined,
    editorOf: () => null,
  });
  return screen.getByRole("button");
}

it("says once that a mapping failed, and where it is, without a number", () => {
  const { textContent } = show();
  expect(textContent!.match(/Failed/g)).toHaveLength(1);
  expect(textContent).toContain("Mute");
  expect(textContent).toContain("mode Live");
  expect(textContent).not.toContain("mapping 3");
});

it("scrolls to the details of an event that is opened", async () => {
  const scrolled: Element[] = [];
  Element.prototype.scrollIntoView = function (this: Element) {
    scrolled.push(this);
  };
  const button = show();
  await fireEvent.click(button);
  expect(scrolled).toEqual([button.nextElementSibling, button]);
});
