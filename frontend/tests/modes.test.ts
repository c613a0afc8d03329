/** The panel of a mode. */
import { render, screen } from "@testing-library/svelte";
import { describe, expect, it, vi } from "vitest";
import ModePanel from "$features/modes/ModePanel.svelte";

describe("the panel of a mode", () => {
  const show = (active: boolean, taken: string[]): void => {
    const mode = { name: "Play", color: "#5ba4f5", active, rows: 1 };
    const names = [
      "Switch",
      "Rename",
      "Color",
      "Start",
      "Mappings",
      "Delete",
      "Way",
      "Map",
      "MapBack",
    ];
    const handlers = Object.fromEntries(names.map((name) => [`on${name}`, vi.fn()]));
    const state = { isStart: true, reason: undefined, isDeadEnd: false, ways: [], taken };
    render(ModePanel, { props: { mode, ...state, ...handlers } as never });
  };

  it("shows once that the mode is active, and switches only to another one", () => {
    show(true, ["Play", "Live"]);
    expect(screen.getAllByText(/active/i)).toHaveLength(1);
    expect(screen.queryByRole("button", { name: "Switch now" })).toBeNull();
    show(false, ["Play", "Live"]);
    expect(screen.getByRole("button", { name: "Switch now" })).toBeTruthy();
  });

  it("says visibly why the last mode cannot be deleted", () => {
    show(true, ["Play"]);
    const button = screen.getByRole("button", { name: "Delete…" });
    const reason = screen.getByText("The last mode cannot be deleted.");
    expect(button).toHaveProperty("disabled", true);
    expect(button.getAttribute("aria-describedby")).toBe(reason.id);
  });
});
