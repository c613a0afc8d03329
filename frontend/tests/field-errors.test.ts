/** The errors of the fields of a mapping: their words, and when they appear. */
import { render, screen, waitFor, within } from "@testing-library/svelte";
import userEvent from "@testing-library/user-event";
import { describe, expect, it, vi } from "vitest";
import { FieldErrors, missingArguments } from "$forms";
import { QuickMapping } from "$features/learn/quick-mapping.svelte";
import { Client } from "$lib/client/client";
import { createState } from "$lib/state/state";
import { Refusal } from "$lib/transport/fake";
import MapPanelHost from "./MapPanelHost.svelte";
import { CONFIG, fakeConductor } from "./sample";

const SERVERS = [
  {
    name: "obs",
    state: "running",
    tools: [
      {
        name: "set_scene",
        title: "",
        description: "",
        parameters: {
          type: "object",
          properties: { scene: { type: "string" }, fade: { type: "boolean" } },
          required: ["scene"],
        },
      },
    ],
  },
];
const WORDS = CONFIG.rows["mode:Default"]![0]!;
const CALL = { type: "Plugin" as const, server: "obs", tool: "set_scene" };

describe("the errors of fields", () => {
  function found(path: string, message: string): Record<string, string> {
    const errors = new FieldErrors(() => ({}));
    errors.set({ [path]: message });
    return { ...errors.all };
  }

  it("are worded without code, at the field that is to be filled in", () => {
    expect(found("changes.0.mapping.action", "behaviour `toggle` needs a `mode`")).toEqual({
      "action.mode": "Choose the mode to change to.",
    });
    expect(found("action.actions", "must have at least 1 item")).toEqual({
      "action.actions": "Add at least one.",
    });
    expect(
      found("action.control", "does not have the right form (`^(note|cc) \\d{1,3}$`)"),
    ).toEqual({ "action.control": "Choose a control." });
  });

  it("appear when their field was left, and all of them when the user saves", () => {
    const errors = new FieldErrors(() => ({}));
    errors.set({ "action.text": "must have at least 1 character", "action.mode": "is missing" });
    expect(errors.visible).toEqual({});
    errors.leave("action.text");
    expect(errors.visible).toEqual({ "action.text": "Fill this in." });
    errors.restart("action");
    expect(errors.visible).toEqual({});
    errors.showAll();
    expect(Object.keys(errors.visible)).toEqual(["action.text", "action.mode"]);
  });
});

describe("a tool that is called without an argument that it needs", () => {
  it("is found, also inside of other actions", () => {
    expect(missingArguments(CALL, SERVERS)).toEqual({
      "action.args.scene": "The tool needs this argument.",
    });
    expect(missingArguments({ type: "Sequence", actions: [CALL] }, SERVERS)).toHaveProperty([
      "action.actions.0.args.scene",
    ]);
    expect(missingArguments({ ...CALL, args: { scene: "Live" } }, SERVERS)).toEqual({});
    expect(missingArguments(CALL, [])).toEqual({});
  });

  it("cannot be saved, and the reason stands at the argument that was left", async () => {
    const transport = fakeConductor({
      "servers.list": () => ({ servers: SERVERS }) as never,
    });
    const state = createState(new Client(transport));
    state.client.start();
    await vi.waitFor(() => expect(state.config.view).not.toBeNull());
    await state.servers.load();
    const quick = new QuickMapping(state, { type: "Note", note: 41 }, CALL, "Default");
    render(MapPanelHost, { props: { state, quick } });
    await vi.waitFor(() => expect(quick.checking).toBe(false));
    expect((screen.getByRole("button", { name: /^Save/ }) as HTMLButtonElement).disabled).toBe(
      true,
    );
    expect(screen.getByText(/^Fill in: /)).toBeTruthy();
    expect(screen.queryByText("The tool needs this argument.")).toBeNull();
    expect(await quick.save()).toBe(false);
    expect(transport.called("config.commit")).toEqual([]);
    expect(await screen.findByText("The tool needs this argument.")).toBeTruthy();
  });
});

describe("a form", () => {
  it("shows the error of a text only after the field was left", async () => {
    const user = userEvent.setup();
    const transport = fakeConductor({
      "config.describe": ({ action }) => {
        if (!action) return WORDS;
        throw new Refusal({
          code: "invalid_params",
          message: "",
          data: { fields: [{ path: "action.text", message: "must have at least 1 character" }] },
        });
      },
    });
    const state = createState(new Client(transport));
    state.client.start();
    await vi.waitFor(() => expect(state.config.view).not.toBeNull());
    const action = { type: "Text" as const, text: "" };
    const quick = new QuickMapping(state, { type: "Note", note: 41 }, action, "Default");
    render(MapPanelHost, { props: { state, quick } });
    await vi.waitFor(() => expect(Object.keys(quick.errors)).toHaveLength(1));
    const form = screen.getByRole("group", { name: "Do" });
    expect(within(form).queryByRole("alert")).toBeNull();
    // The form focused the text itself, so that leaving it with the mouse is no attempt to fill it.
    const text = document.activeElement as HTMLElement;
    await user.click(screen.getByRole("heading", { level: 2 }));
    await user.click(screen.getByRole("button", { name: "Change trigger" }));
    expect(within(form).queryByRole("alert")).toBeNull();
    text.focus();
    await user.type(text, "a{Backspace}");
    // Shown during the press, it would move the button away before the click.
    const button = screen.getByRole("button", { name: /trigger/ });
    await user.pointer({ target: button, keys: "[MouseLeft>]" });
    await vi.waitFor(() => expect(Object.keys(quick.errors)).toHaveLength(1));
    expect(within(form).queryByRole("alert")).toBeNull();
    await user.pointer({ keys: "[/MouseLeft]" });
    await waitFor(() => expect(within(form).getByRole("alert").textContent).toBe("Fill this in."));
  });
});
