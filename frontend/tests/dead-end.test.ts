/** A mapping that switches to a mode from which no control leads back. */
import { fireEvent, render, screen } from "@testing-library/svelte";
import { describe, expect, it, vi } from "vitest";
import { QuickMapping } from "$features/learn/quick-mapping.svelte";
import { Client } from "$lib/client/client";
import type { ActionInput, Mapping } from "$lib/client/types";
import { findDeadEnd } from "$lib/dead-end";
import { createState } from "$lib/state/state";
import App from "../src/App.svelte";
import "./load-views";
import MapPanelHost from "./MapPanelHost.svelte";
import { CONFIG, fakeConductor } from "./sample";

const TO_LIVE: ActionInput = { type: "ModeChange", mode: "Live", behaviour: "switch" };
const row = (scope: string, action: object, enabled = true) => ({
  scope,
  index: 0,
  mapping: { ...CONFIG.config.modes[0]!.mappings![0]!, action, enabled } as Mapping,
  words: CONFIG.rows["mode:Default"]![0]!,
});
const back = { type: "ModeChange", mode: "Default", behaviour: "switch" };
const find = (action: ActionInput, scope: string, ...rows: ReturnType<typeof row>[]) =>
  findDeadEnd(action, scope, rows);

describe("a dead end", () => {
  it("is a mode that nothing leaves", () => {
    expect(find(TO_LIVE, "mode:Default")).toBe("Live");
    expect(find(TO_LIVE, "mode:Default", row("mode:Default", back))).toBe("Live");
    expect(find(TO_LIVE, "mode:Default", row("mode:Live", back, false))).toBe("Live");
    const held = { ...back, behaviour: "momentary" };
    expect(find(TO_LIVE, "mode:Default", row("mode:Live", held))).toBe("Live");
    expect(find({ type: "Sequence", actions: [TO_LIVE] }, "mode:Default")).toBe("Live");
    expect(find({ type: "ModeChange", mode: "To be created" }, "global")).toBe("To be created");
  });

  it("is none when a control leads back", () => {
    expect(find(TO_LIVE, "mode:Default", row("mode:Live", back))).toBeNull();
    expect(find(TO_LIVE, "mode:Default", row("global", { ...back, behaviour: "next" }))).toBeNull();
    expect(find({ ...TO_LIVE, behaviour: "toggle" }, "global")).toBeNull();
    expect(find({ ...TO_LIVE, behaviour: "momentary" }, "mode:Default")).toBeNull();
    expect(find(TO_LIVE, "mode:Live")).toBeNull();
  });

  it("is offered a way back before the mapping is saved", async () => {
    const state = createState(new Client(fakeConductor()));
    state.client.start();
    await vi.waitFor(() => expect(state.config.view).not.toBeNull());
    const quick = new QuickMapping(state, { type: "Note", note: 99 }, TO_LIVE, "Default");
    render(MapPanelHost, { props: { state, quick } });
    expect(await screen.findByText(/^Nothing leads back from Live/)).toBeTruthy();
    expect(screen.queryByText("No conflicts.")).toBeNull();
    await fireEvent.click(screen.getByRole("button", { name: "Go there and back, in all modes" }));
    expect(quick.action).toEqual({ ...TO_LIVE, behaviour: "toggle" });
    expect(quick.scope).toBe("global");
    await vi.waitFor(() => expect(screen.queryByText(/^Nothing leads back/)).toBeNull());
  });
});

it("a mode without a way in offers to map a control to it", async () => {
  const overlap = {
    kind: "unreachable_mode",
    severity: "warning",
    message: "no control leads to it",
    places: ["mode:Live"],
    is_new: false,
    gesture: null,
    control_names: [],
  };
  const config = { ...CONFIG, overlaps: [overlap] };
  const state = createState(new Client(fakeConductor({ "config.get": () => config as never })));
  state.ui.view = "modes";
  state.client.start();
  render(App, { state });
  await fireEvent.click(await screen.findByText("Live", { selector: ".name" }));
  await fireEvent.click(await screen.findByRole("button", { name: "Map a control to it" }));
  expect(await screen.findByRole("heading", { name: "New mapping" })).toBeTruthy();
  expect(screen.getByLabelText(/^Add to/).textContent).toContain("All modes");
});

it("a mode without a way back offers to map one of its controls to another mode", async () => {
  const mapping = {
    enabled: true,
    trigger: { type: "Note" as const, note: 40 },
    action: { type: "ModeChange" as const, mode: "Live", behaviour: "switch" as const },
  };
  const view = structuredClone(CONFIG);
  view.config.modes = view.config.modes.map((mode) => ({
    ...mode,
    mappings: mode.name === "Default" ? [mapping as never] : [],
  }));
  const config = { ...view, overlaps: [] };
  const state = createState(new Client(fakeConductor({ "config.get": () => config as never })));
  state.ui.view = "modes";
  state.client.start();
  render(App, { state });
  await fireEvent.click(await screen.findByText("Live", { selector: ".name" }));
  await fireEvent.click(await screen.findByRole("button", { name: "Add a way back" }));
  expect(await screen.findByRole("heading", { name: "New mapping" })).toBeTruthy();
  expect(screen.getByLabelText(/^Add to/).textContent).toContain("Live");
});
