/** The History view: which version is selected, and with which one it is compared. */
import { fireEvent, render, screen, waitFor, within } from "@testing-library/svelte";
import { describe, expect, it } from "vitest";
import { affectedBy } from "$features/controller/affected";
import { Client } from "$lib/client/client";
import type { RowChange, VersionRow } from "$lib/client/types";
import { createState, type State } from "$lib/state/state";
import type { FakeTransport, Handlers } from "$lib/transport/fake";
import App from "../src/App.svelte";
import "./load-views";
import { CONFIG, fakeConductor } from "./sample";

const version = (id: number, over: Partial<VersionRow> = {}): VersionRow => ({
  id,
  hash: `sha256:${id}`,
  made_at: `2026-11-21T12:0${id}:00Z`,
  kind: "edit",
  reason: `Mapped Pad ${id}`,
  author: null,
  summary: [],
  broke: [],
  is_current: false,
  is_undone: false,
  way: "restore",
  ...over,
});

interface Opened {
  state: State;
  transport: FakeTransport;
  /** Make another version the current one, as Undo in the top bar does. */
  setCurrent: (id: number) => Promise<void>;
}

async function open(over: Handlers = {}): Promise<Opened> {
  let current = 3;
  let hash = CONFIG.hash;
  const list = (): VersionRow[] =>
    [4, 3, 2, 1]
      .filter((id) => id <= Math.max(3, current))
      .map((id) => version(id, { is_current: id === current }));
  const transport = fakeConductor({
    "config.get": () => ({ ...CONFIG, hash }),
    "history.list": () => ({ versions: list() }),
    "history.get": ({ id }) => ({
      version: list().find((one) => one.id === id),
      before_after: [],
      changes: [],
      rows: {},
      diff: "+ x",
      changes_diff: "",
      text: "",
      start_mode: "Default",
      parent_at: null,
    }),
    "history.restore": () => {
      current = 4;
      hash = "sha256:restored";
      return { hash, reason: "restored the version of 21 Nov 12:01" };
    },
    ...over,
  });
  const client = new Client(transport);
  const state = createState(client);
  state.ui.view = "history";
  client.start();
  render(App, { state });
  await screen.findByRole("option", { selected: true, name: /Pad 3/ });
  return {
    state,
    transport,
    setCurrent: async (id) => {
      current = id;
      hash = `sha256:${id}`;
      await state.config.load();
    },
  };
}

const choose = async (name: RegExp): Promise<void> => {
  const option = screen.getByRole("option", { name });
  await fireEvent.click(option.firstElementChild!);
  await waitFor(() => expect(option.getAttribute("aria-selected")).toBe("true"));
};

describe("History", () => {
  it("compares with the current version once the chosen one has become that", async () => {
    const { setCurrent } = await open();
    await choose(/Pad 1/);
    const field = await screen.findByLabelText("Compare with: Current version");
    await fireEvent.keyDown(field, { key: "Enter" });
    const list = await screen.findByRole("listbox", { name: "" });
    await fireEvent.pointerUp(within(list).getByRole("option", { name: /Pad 2/ }));
    await screen.findByLabelText("Compare with: Mapped Pad 2");
    await setCurrent(2);
    await screen.findByLabelText("Compare with: Current version");
  });
  it("selects the new version after a restore", async () => {
    const { state } = await open();
    await choose(/Pad 1/);
    await fireEvent.click(await screen.findByRole("button", { name: /^Restore this version/ }));
    await waitFor(() => expect(state.ui.confirming).not.toBeNull());
    state.ui.confirming!.answer(true);
    await screen.findByRole("option", { selected: true, name: /Pad 4/ });
  });
});

describe("the scope whose picture shows changes", () => {
  const words = CONFIG.rows["mode:Default"]![0]!;
  const mapping = CONFIG.config.modes[0]!.mappings![0]!;
  const row = { index: 0, mapping, words };
  const change = (scope: string, isAdded: boolean): RowChange => ({
    kind: isAdded ? "added" : "removed",
    scope,
    index: 0,
    before: isAdded ? null : row,
    after: isAdded ? row : null,
    text: "",
  });
  const rows = [{ ...row, scope: "mode:Default" }];

  it("has what was added, also in a profile", () => {
    const changes = [change("mode:Live", false), change("profile:obs", true)];
    expect(affectedBy(changes, rows).scope).toBe("profile:obs");
  });
  it("is not a mode that is gone with its mappings", () => {
    const gone = change("mode:Live", false);
    expect(affectedBy([gone, change("mode:Default", false)], rows).scope).toBe("mode:Default");
    expect(affectedBy([gone], rows).scope).toBe("mode:Default");
  });
  it("is the active mode for what all modes have", () => {
    expect(affectedBy([change("global", true)], rows).scope).toBeNull();
  });
});
