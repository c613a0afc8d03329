/** There is at most one tooltip, whatever is pointed at and focused. */
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { tooltip } from "../src/ui/tooltip";

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

const shown = (): (string | null)[] =>
  [...document.querySelectorAll("[role=tooltip]")].map((tip) => tip.textContent);

function button(text: string): { node: HTMLElement; detach: () => void } {
  const node = document.body.appendChild(document.createElement("button"));
  const detach = tooltip(text)(node) as () => void;
  return { node, detach: () => (detach(), node.remove()) };
}

it("leaves no tooltip behind when another one appears", () => {
  const [undo, redo] = [button("Undo"), button("Redo")];
  undo.node.dispatchEvent(new Event("pointerenter"));
  redo.node.dispatchEvent(new Event("pointerenter"));
  vi.runAllTimers();
  expect(shown()).toEqual(["Redo"]);
  redo.node.dispatchEvent(new Event("pointerleave"));
  expect(shown()).toEqual([]);
  undo.detach();
  redo.detach();
});

it("appears at a focus that keys moved, not at one that returned from a dialog", () => {
  const { node, detach } = button("Rename");
  // The focus is visible after Enter in a dialog, too.
  vi.spyOn(node, "matches").mockReturnValue(true);
  for (const [key, tips] of [
    ["Tab", ["Rename"]],
    ["ArrowDown", ["Rename"]],
    ["Enter", []],
    ["Escape", []],
  ] as const) {
    document.body.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
    node.focus();
    vi.runAllTimers();
    expect(shown(), key).toEqual(tips);
    node.blur();
  }
  detach();
});
