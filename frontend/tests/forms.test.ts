import { cleanup, fireEvent, render, screen, waitFor } from "@testing-library/svelte";
import userEvent from "@testing-library/user-event";
import { tick } from "svelte";
import { describe, expect, it, vi } from "vitest";
import { errorsUnder } from "$forms/context";
import { applyCurve } from "$forms/curve";
import { fieldHelp, kindHelp } from "$forms/help";
import { kindBesidePhrase } from "$forms/phrases";
import { fieldName, kindName, noteName, optionName, parseNote } from "$forms/names";
import { keyOf } from "$forms/recorder";
import { isFieldUsed, positionOf, rangeOf, sliderScale, valueAt } from "$forms/rules";
import {
  changeKind,
  matchesSchema,
  isPlainObject,
  splitNullable,
  rootSchema,
  shapeOf,
  type Defs,
  type PlainObject,
  type Root,
  type Schema,
} from "$forms/schema";
import { Client } from "$lib/client/client";
import type { ActionInput } from "$lib/client/types";
import { createState } from "$lib/state/state";
import { Refusal } from "$lib/transport/fake";
import FormHost from "./FormHost.svelte";
import { CONFIG, fakeConductor } from "./sample";
import TestActionHost from "./TestActionHost.svelte";
import { kindValue, seeded } from "./values";

const ROOTS: Root[] = ["Trigger", "Action", "Condition", "Curve", "Matcher"];
const ROUNDS = 4;

function kindsOf(root: Root) {
  const { schema, defs } = rootSchema(root);
  const shape = shapeOf(schema, defs);
  if (shape.is !== "union") throw new Error(`${root} is no union`);
  return { ...shape, defs };
}
const KINDS = ROOTS.flatMap((root) => kindsOf(root).kinds.map(({ tag }) => [root, tag] as const));

interface Leaf {
  path: (string | number)[];
  value: unknown;
  schema: Schema;
}

/** Return every scalar that a form shows, with its path. */
function leaves(
  schema: Schema,
  value: unknown,
  defs: Defs,
  path: (string | number)[] = [],
): Leaf[] {
  const { schema: inner } = splitNullable(schema, defs);
  if (value === null || value === undefined) return [];
  const shape = shapeOf(inner, defs);
  if (shape.is === "variants") {
    const variant = shape.variants.find((one) => matchesSchema(value, one, defs));
    return variant
      ? leaves({ ...variant, ...(inner.format ? { format: inner.format } : {}) }, value, defs, path)
      : [];
  }
  if (
    inner.format === "curve" ||
    inner.format === "keys" ||
    inner.format === "notes" ||
    inner.format === "gamepad_buttons"
  )
    return [];
  if (shape.is === "union") {
    const kind = isPlainObject(value)
      ? shape.kinds.find(({ tag }) => tag === value[shape.tagField])
      : undefined;
    return kind ? leaves(kind.schema, value, defs, path) : [];
  }
  if (shape.is === "object" && isPlainObject(value)) {
    return shape.fields
      .filter(([name]) => isFieldUsed(value, name))
      .flatMap(([name, field]) => leaves(field, value[name], defs, [...path, name]));
  }
  if (shape.is === "list" && Array.isArray(value)) {
    return path.at(-1) === "days"
      ? []
      : value.flatMap((one, index) => leaves(shape.item, one, defs, [...path, index]));
  }
  // Pickers for a light and for a time of day show these texts in another form.
  if (path.at(-1) === "control" || inner.pattern?.includes("[01]")) return [];
  return [{ path, value, schema: inner }];
}

function at(container: HTMLElement, path: (string | number)[]): HTMLElement {
  const found = container.querySelector<HTMLElement>(`[data-path="${path.join(".")}"]`);
  if (!found) throw new Error(`nothing is shown at ${path.join(".")}`);
  return found;
}

/** The inputs that a user types into. Sliders show the same number beside them. */
const TYPED = "input:not([type=range]), textarea";

/** Parse the value that a field shows. */
function shown(field: HTMLElement): string {
  const toggle = field.querySelector("[role=switch]");
  if (toggle) return String(toggle.getAttribute("aria-checked"));
  const checked = field.querySelector("[role=radio][aria-checked=true]");
  const input = field.querySelector<HTMLInputElement>(TYPED);
  return input?.value ?? checked?.textContent ?? field.textContent ?? "";
}

function set(value: unknown, [step, ...rest]: (string | number)[], next: unknown): unknown {
  if (step === undefined) return next;
  if (Array.isArray(value))
    return value.map((one, index) => (index === step ? set(one, rest, next) : one));
  return { ...(value as PlainObject), [step]: set((value as PlainObject)[step], rest, next) };
}

describe("a form for a kind", () => {
  it.each(KINDS)(
    "%s %s shows a value, emits nothing by itself, and changes just what is edited",
    async (root, tag) => {
      const { kinds, tagField, defs } = kindsOf(root);
      const kind = kinds.find((one) => one.tag === tag)!;
      for (let round = 0; round < ROUNDS; round++) {
        const value = kindValue(kind, tagField, defs, seeded(round * 7919 + tag.length));
        const onChange = vi.fn();
        const { container } = render(FormHost, { props: { root, start: value, onChange } });
        expect(onChange, `untouched ${JSON.stringify(value)}`).not.toHaveBeenCalled();
        if (root !== "Curve") {
          let now: unknown = value;
          for (const leaf of leaves(kind.schema, value, defs)) {
            const field = at(container, leaf.path);
            expectShown(field, leaf);
            const next = await edit(field, leaf);
            if (next === undefined) continue;
            now = set(now, leaf.path, next);
            expect(onChange.mock.lastCall?.[0], `after editing ${leaf.path.join(".")}`).toEqual(
              now,
            );
            expectShown(at(container, leaf.path), { ...leaf, value: next });
          }
        }
        cleanup();
      }
    },
  );

  function expectShown(field: HTMLElement, { value, schema, path }: Leaf): void {
    const text = shown(field);
    const where = `${path.join(".")} = ${JSON.stringify(value)} shown as ${text}`;
    if (typeof value === "boolean") expect(text, where).toBe(String(value));
    else if (schema.enum || schema.format?.startsWith("gamepad_"))
      expect([String(value), optionName(String(value))], where).toContain(text.trim());
    else if (typeof value === "number") expect(text, where).toContain(String(value));
    else expect(text, where).toBe(value === "off" || value === "red" ? text : value);
  }

  async function edit(field: HTMLElement, { value, schema }: Leaf): Promise<unknown> {
    if (typeof value === "boolean") {
      const toggle = field.querySelector("[role=switch]");
      if (!toggle) return undefined;
      await fireEvent.click(toggle);
      return !value;
    }
    const input = field.querySelector<HTMLInputElement>(TYPED);
    if (schema.enum || schema.format === "channel" || !input) return undefined;
    if (typeof value === "number") {
      // An end of a value from the control has the limits of the field, which 0 is always within.
      const isEnd = (schema.minimum ?? 0) <= -1e9;
      const least = isEnd ? 0 : (schema.minimum ?? 0);
      const next = value === least ? value + 1 : schema.exclusiveMinimum === undefined ? least : 1;
      await fireEvent.input(input, { target: { value: String(next) } });
      await fireEvent.blur(input);
      return next;
    }
    const next =
      schema.format === "gamepad_axis"
        ? "left_y"
        : schema.format === "gamepad_button"
          ? "east"
          : `${String(value)}2`;
    if (schema.format === "mode") await fireEvent.click(input);
    await fireEvent.input(input, { target: { value: next } });
    if (schema.format === "mode")
      await userEvent.click(await screen.findByRole("option", { name: `Create mode “${next}”` }));
    else await fireEvent.blur(input);
    return next;
  }

  it.each(KINDS)("%s %s starts from a new value that it can show", (root, tag) => {
    const { kinds, tagField, defs } = kindsOf(root);
    const value = changeKind(kinds.find((one) => one.tag === tag)!.schema, tag, tagField, defs);
    const onChange = vi.fn();
    render(FormHost, { props: { root, start: value, onChange } });
    expect(onChange).not.toHaveBeenCalled();
    expect(screen.getByRole("group", { name: root })).toBeTruthy();
  });
});

describe("the texts of the mapping editor", () => {
  const SYNTAX = /[`{}[\]=]|_|\bLeft out\b|\bTOML\b|\bJSON\b|\bschema\b/i;
  const MAPPING_ROOTS: Root[] = ["Trigger", "Action", "Condition", "Curve"];

  it.each(MAPPING_ROOTS)(
    "explain every kind and field of %s without the config's syntax",
    (root) => {
      for (const { tag, schema } of kindsOf(root).kinds) {
        expect(kindHelp(tag), tag).toBeTruthy();
        expect(kindHelp(tag), tag).not.toMatch(SYNTAX);
        expect(kindName(tag), tag).not.toMatch(SYNTAX);
        if (root === "Curve") continue;
        const { defs } = kindsOf(root);
        for (const [name, field] of Object.entries(schema.properties ?? {})) {
          if (field.const !== undefined) continue;
          const shown = rangeOf(schema, name, defs)?.name ?? name;
          expect(fieldHelp(tag, shown), `${tag}.${shown}`).toBeDefined();
          expect(fieldHelp(tag, shown), `${tag}.${shown}`).not.toMatch(SYNTAX);
          expect(fieldName(shown, tag), `${tag}.${shown}`).not.toMatch(SYNTAX);
          for (const option of field.enum ?? []) expect(optionName(option)).not.toMatch(SYNTAX);
        }
      }
    },
  );

  it("explain the value of a control", () => {
    const { properties } = rootSchema("Action").defs["FromControl"]!;
    for (const name of Object.keys(properties ?? {}))
      expect(fieldHelp("FromControl", name), name).toMatch(/^[A-Z][^`{_]*$/);
  });
});

describe("numbers", () => {
  const slider = (name: string): HTMLInputElement =>
    screen.getByRole<HTMLInputElement>("slider", { name: `${name}: slider` });

  it("are set with a slider, and its label has the unit", async () => {
    const onChange = vi.fn();
    const start = { type: "LongPress", note: 36, duration_ms: 500 };
    render(FormHost, { props: { root: "Trigger", start, onChange } });
    const field = slider("Duration");
    expect(field.getAttribute("aria-valuetext")).toBe("500 ms");
    await fireEvent.input(field, { target: { value: String(Number(field.value) + 1) } });
    const { duration_ms } = onChange.mock.lastCall?.[0] as { duration_ms: number };
    expect(duration_ms).toBeGreaterThan(500);
    expect(duration_ms).toBeLessThan(600);
    expect(screen.getByRole<HTMLInputElement>("spinbutton", { name: "Duration" }).value).toBe(
      String(duration_ms),
    );
  });

  it("change with every step of a slider, up and down", () => {
    const { properties } = rootSchema("Trigger").defs["LongPressTrigger"]!;
    const scale = sliderScale("duration_ms", properties!["duration_ms"]!)!;
    for (let value = scale.min, steps = 0; value < scale.max; steps++) {
      expect(steps).toBeLessThan(3_000);
      const up = valueAt(positionOf(value, scale) + 1, scale, value);
      expect(up).toBeGreaterThan(value);
      expect(valueAt(positionOf(up, scale) - 1, scale, up)).toBeLessThan(up);
      value = up;
    }
  });

  it("that are the ends of a range share a slider, and an end of the slider is no limit", async () => {
    const onChange = vi.fn();
    const start = { type: "CC", cc: 1, value_min: 64 };
    render(FormHost, { props: { root: "Trigger", start, onChange } });
    await fireEvent.input(slider("Highest"), { target: { value: "100" } });
    expect(onChange.mock.lastCall?.[0]).toEqual({ ...start, value_max: 100 });
    await fireEvent.input(slider("Lowest"), { target: { value: "0" } });
    expect(onChange.mock.lastCall?.[0]).toEqual({ ...start, value_min: null, value_max: 100 });
    await fireEvent.input(slider("Lowest"), { target: { value: "110" } });
    expect(onChange.mock.lastCall?.[0]).toEqual({ ...start, value_min: 100, value_max: 100 });
  });
});

describe("a curve", () => {
  function open(start: object) {
    const onChange = vi.fn();
    const value = { from: "value", curve: start };
    const props = {
      root: "Action" as const,
      start: { type: "MidiForward", port: "Synth", value },
      onChange,
    };
    render(FormHost, { props });
    const curve = (): unknown =>
      (onChange.mock.lastCall?.[0] as { value: { curve: unknown } }).value.curve;
    const tile = (name: string): HTMLElement => screen.getByRole("radio", { name });
    return { onChange, curve, tile, pick: (name: string) => fireEvent.click(tile(name)) };
  }

  it("is chosen by its picture and keeps its range", async () => {
    const { curve, tile, pick } = open({ type: "Linear", in_min: 10, max: 90 });
    expect(tile("Scaled").getAttribute("aria-checked")).toBe("true");
    await pick("Slow ends");
    expect(curve()).toEqual({ type: "Curve", curve_type: "s_curve", in_min: 10, max: 90 });
    await pick("Fixed");
    expect(curve()).toEqual({ type: "Fixed" });
  });

  it("stays reversed when its bend changes", async () => {
    const { curve, pick } = open({ type: "Curve", curve_type: "exponential", min: 127, max: 0 });
    await pick("Slow ends");
    expect(curve()).toEqual({ type: "Curve", curve_type: "s_curve", min: 127, max: 0 });
    await pick("Fast start");
    expect(curve()).toEqual({ type: "Curve", curve_type: "logarithmic", min: 127, max: 0 });
    await pick("Scaled");
    expect(curve()).toEqual({ type: "Linear", min: 0, max: 127 });
  });

  it("changes only when a shape that the arrow keys have focused is chosen", async () => {
    const user = userEvent.setup();
    const { onChange, curve, tile } = open({ type: "Linear", in_min: 10, min: 90, max: 0 });
    tile("Reversed").focus();
    await user.keyboard("{ArrowRight}");
    expect(document.activeElement).toBe(tile("Fixed"));
    expect(tile("Fixed").tabIndex).toBe(0);
    expect(tile("Reversed").tabIndex).toBe(-1);
    await user.keyboard("{ArrowLeft}{ArrowLeft}");
    expect(document.activeElement).toBe(tile("Slow ends"));
    expect(onChange).not.toHaveBeenCalled();
    await user.keyboard(" ");
    expect(curve()).toEqual({
      type: "Curve",
      curve_type: "s_curve",
      in_min: 10,
      min: 90,
      max: 0,
    });
    tile("Slow ends").blur();
    await waitFor(() => expect(tile("Slow ends").tabIndex).toBe(0));
  });
});

describe("the test of an action", () => {
  const MUTE: ActionInput = { type: "Keystroke", keys: ["m"] };
  const JUMP: ActionInput = { type: "Keystroke", keys: ["j"] };
  const failure = (action: object, mapping = "preview 1") => ({
    mapping,
    scope: "preview",
    index: 0,
    action,
    reason: `no keyboard for ${mapping}`,
    time: 1,
    sequence: 1,
  });
  async function open(action: ActionInput, answer: () => unknown = () => ({})) {
    const transport = fakeConductor({ "actions.test": answer });
    const client = new Client(transport);
    const app = createState(client);
    client.start();
    const { rerender } = render(TestActionHost, { props: { app, action } });
    await fireEvent.click(screen.getByRole("button", { name: "Test" }));
    const shown = (): string => screen.getByRole("status").textContent.trim();
    const idle = (): Promise<void> =>
      waitFor(() =>
        expect(screen.getByRole("button", { name: "Test" }).hasAttribute("aria-busy")).toBe(false),
      );
    const fail = async (failed: object): Promise<void> => {
      transport.push(["failure", failed]);
      await tick();
    };
    return { ui: app.ui, transport, rerender, shown, idle, fail };
  }

  it.each([
    ["success", () => ({})],
    [
      "failure",
      () => {
        throw new Refusal({ code: "action_failed", message: "no keyboard" });
      },
    ],
  ])("shows no %s of an action that was replaced meanwhile", async (_, answer) => {
    let release = (): void => {};
    const released = new Promise<void>((resolve) => (release = resolve));
    const { rerender, shown, idle } = await open(MUTE, () => released.then(answer));
    await rerender({ action: JUMP });
    release();
    await idle();
    expect(shown()).toBe("");
  });

  it("keeps the focus on the button while the action runs, and starts it once", async () => {
    let release = (): void => {};
    const { transport, idle } = await open(
      MUTE,
      () => new Promise<object>((resolve) => (release = () => resolve({}))),
    );
    const button = screen.getByRole("button", { name: "Test" });
    expect(button.hasAttribute("disabled")).toBe(false);
    await fireEvent.click(button);
    expect(transport.called("actions.test")).toHaveLength(1);
    release();
    await idle();
  });

  it("shows no late failure of an action that was replaced", async () => {
    const { ui, rerender, shown, idle, fail } = await open(MUTE);
    await idle();
    expect(shown()).toBe("The action ran.");
    await rerender({ action: JUMP });
    await fail(failure(MUTE));
    expect(shown()).toBe("");
    expect(ui.toasts).toHaveLength(1);
  });

  it("leaves the failures of other actions to the toasts", async () => {
    const { ui, shown, idle, fail } = await open(MUTE);
    await idle();
    await fail(failure(JUMP, "preview 2"));
    expect(shown()).toBe("The action ran.");
    expect(ui.toasts).toHaveLength(1);
    await fail(failure(MUTE));
    expect(shown()).toBe("The action failed: no keyboard for preview 1");
    await fail(failure(MUTE, "preview 3"));
    expect(shown()).toBe("The action failed: no keyboard for preview 1");
    expect(ui.toasts).toHaveLength(2);
  });

  it("shows the failure of a step of the action", async () => {
    const { ui, shown, idle, fail } = await open({ type: "Sequence", actions: [MUTE, JUMP] });
    await idle();
    await fail(failure(JUMP));
    expect(shown()).toBe("The action failed: no keyboard for preview 1");
    expect(ui.toasts).toEqual([]);
  });
});

describe("arguments of a tool", () => {
  it("that are lists and groups are edited as rows", async () => {
    const onChange = vi.fn();
    const start = { type: "Plugin", server: "s", tool: "t", args: { tags: ["a"], at: { x: 1 } } };
    const parameters = {
      type: "object",
      properties: {
        tags: { type: "array", items: { type: "string" } },
        at: { type: "object", properties: { x: { type: "integer" }, y: { type: "integer" } } },
      },
      additionalProperties: false,
    };
    const tools = [{ name: "t", title: "T", description: "", parameters }];
    const servers = [{ name: "s", state: "ready", tools }];
    const { container } = render(FormHost, { props: { root: "Action", start, servers, onChange } });
    const args = (): unknown => (onChange.mock.lastCall?.[0] as { args: unknown }).args;
    expect(container.textContent).not.toMatch(/JSON|[{}]/);
    await fireEvent.click(screen.getByRole("button", { name: "Add to tags" }));
    expect(args()).toEqual({ tags: ["a", ""], at: { x: 1 } });
    await fireEvent.input(screen.getByRole("textbox", { name: "tags 2" }), {
      target: { value: "b" },
    });
    expect(args()).toEqual({ tags: ["a", "b"], at: { x: 1 } });
    await fireEvent.click(screen.getByRole("button", { name: "Remove tags 1" }));
    expect(args()).toEqual({ tags: ["b"], at: { x: 1 } });
    const x = screen.getByRole("spinbutton", { name: "x" });
    await fireEvent.input(x, { target: { value: "7" } });
    expect(args()).toEqual({ tags: ["b"], at: { x: 7 } });
  });
});

describe("choosing another kind", () => {
  it("keeps what both kinds have", async () => {
    const onChange = vi.fn();
    const { container } = render(FormHost, {
      props: {
        root: "Trigger",
        start: { type: "Note", note: 40, device: "pads", velocity_min: 3 },
        onChange,
      },
    });
    const user = userEvent.setup();
    const input = container.querySelector<HTMLInputElement>("input[aria-label='Trigger: kind']")!;
    await user.click(input);
    await user.keyboard("release{ArrowDown}{Enter}");
    await vi.waitFor(() =>
      expect(onChange).toHaveBeenCalledWith({ type: "NoteRelease", note: 40, device: "pads" }),
    );
  });

  it("gives an untouched value of any kind back as it was", () => {
    for (const [root, tag] of KINDS) {
      const { kinds, tagField, defs } = kindsOf(root);
      const kind = kinds.find((one) => one.tag === tag)!;
      for (let round = 0; round < 20; round++) {
        const value = kindValue(kind, tagField, defs, seeded(round));
        expect(changeKind(kind.schema, tag, tagField, defs, value)).toEqual(value);
      }
    }
  });
});

describe("the keystroke recorder", () => {
  const press = (key: string, code = "") => keyOf({ key, code }, false);

  it("names keys as Conductor does", () => {
    expect([
      press("a", "KeyQ"),
      press("!", "Digit1"),
      press("5", "Numpad5"),
      press("Control"),
      press("Meta"),
      press(" ", "Space"),
      press("F13"),
      press("ArrowUp"),
      press("Dead"),
      press("+", "BracketRight"),
    ]).toEqual(["a", "1", "num5", "ctrl", "super", "space", "f13", "up", null, "plus"]);
    expect(keyOf({ key: "Meta", code: "MetaLeft" }, true)).toBe("cmd");
  });

  it("takes what is pressed together, and stops", async () => {
    const onChange = vi.fn();
    render(FormHost, {
      props: { root: "Action", start: { type: "Keystroke", keys: [] }, onChange },
    });
    const recorder = screen.getByRole("button", { name: "Stop" });
    await waitFor(() => expect(document.activeElement).toBe(recorder));
    for (const [key, code] of [
      ["Control", "ControlLeft"],
      ["Shift", "ShiftLeft"],
      ["M", "KeyM"],
    ])
      await fireEvent.keyDown(window, { key, code });
    expect(onChange.mock.lastCall?.[0]).toEqual({
      type: "Keystroke",
      keys: ["ctrl", "shift", "m"],
    });
    expect(screen.getByRole("button", { name: "Record" })).toBeTruthy();
  });
});

describe("nested fields", () => {
  it("add, move and remove actions of a sequence", async () => {
    const start = {
      type: "Sequence",
      actions: [
        { type: "Delay", duration_ms: 10 },
        { type: "Text", text: "hello" },
      ],
    };
    const onChange = vi.fn();
    render(FormHost, { props: { root: "Action", start, onChange } });
    await fireEvent.click(screen.getByRole("button", { name: "Move action 2 up" }));
    expect(onChange.mock.lastCall?.[0]).toEqual({
      type: "Sequence",
      actions: [start.actions[1], start.actions[0]],
    });
    await fireEvent.click(screen.getByRole("button", { name: "Remove action 1" }));
    expect(onChange.mock.lastCall?.[0]).toEqual({ type: "Sequence", actions: [start.actions[0]] });
  });

  it("ask for the kind of another action, and record keys only for a keystroke", async () => {
    const onChange = vi.fn();
    const user = userEvent.setup();
    render(FormHost, {
      props: { root: "Action", start: { type: "Sequence", actions: [] }, onChange },
    });
    await user.click(screen.getByRole("button", { name: "Add action" }));
    expect(onChange).not.toHaveBeenCalled();
    expect(document.activeElement).toBe(screen.getByRole("combobox", { name: "Action 1: kind" }));
    await user.keyboard("wait");
    await user.click(await screen.findByRole("option", { name: /^Delay/ }));
    expect(onChange.mock.lastCall?.[0]).toEqual({
      type: "Sequence",
      actions: [{ type: "Delay", duration_ms: 100 }],
    });
    expect(screen.queryByRole("button", { name: "Stop" })).toBeNull();
    await waitFor(() =>
      expect(document.activeElement).toBe(screen.getByRole("spinbutton", { name: "Duration" })),
    );

    await user.click(screen.getByRole("button", { name: "Add action" }));
    await user.keyboard("keystroke");
    await user.click(await screen.findByRole("option", { name: /^Keystroke/ }));
    expect(await screen.findByRole("button", { name: "Stop" })).toBeTruthy();
  });

  it("do not record at once for the keystroke that a repeat starts with", async () => {
    const user = userEvent.setup();
    render(FormHost, { props: { root: "Action", start: { type: "Delay", duration_ms: 1 } } });
    await user.click(screen.getByRole("combobox", { name: "Action: kind" }));
    await user.keyboard("repeat");
    await user.click(await screen.findByRole("option", { name: /^Repeat/ }));
    expect(await screen.findByRole("button", { name: "Record" })).toBeTruthy();
    expect(screen.queryByRole("button", { name: "Stop" })).toBeNull();
  });

  it("take what is typed after a kind was chosen in the first field of the kind", async () => {
    const user = userEvent.setup();
    const onChange = vi.fn();
    render(FormHost, { props: { root: "Action", start: { type: "Delay" }, onChange } });
    const kind = screen.getByRole<HTMLInputElement>("combobox", { name: "Action: kind" });
    await user.click(kind);
    await user.keyboard("type text");
    await user.click(await screen.findByRole("option", { name: /^Type text/ }));
    await waitFor(() => expect(document.activeElement).not.toBe(kind));
    await user.keyboard("Hello");
    expect(onChange.mock.lastCall).toMatchObject([{ type: "Text", text: "Hello" }]);
    expect(kind.value).toBe("Type text");
  });

  it("start a hold with the duration of Learn", async () => {
    const user = userEvent.setup();
    const onChange = vi.fn();
    const start = { type: "Note", note: 36 };
    render(FormHost, { props: { root: "Trigger", start, onChange } });
    const kind = screen.getByRole<HTMLInputElement>("combobox", { name: "Trigger: kind" });
    await user.click(kind);
    await user.keyboard("long");
    await user.click(await screen.findByRole("option", { name: /^Hold|^Long press/ }));
    expect(onChange.mock.lastCall).toEqual([{ type: "LongPress", note: 36, duration_ms: 500 }]);
  });

  it("list a kind with the typed name before those whose hint has the word", async () => {
    const user = userEvent.setup();
    render(FormHost, { props: { root: "Trigger", start: { type: "CC", cc: 20 } } });
    await user.click(screen.getByRole("combobox", { name: "Trigger: kind" }));
    await user.keyboard("double");
    const [first, ...others] = await screen.findAllByRole("option");
    expect(first!.textContent).toContain("Double tap");
    expect(others.length).toBeGreaterThan(0);
  });

  it("take the note that was typed at Enter, and close the list", async () => {
    const user = userEvent.setup();
    const onChange = vi.fn();
    const start = { type: "Note", note: 60 };
    render(FormHost, { props: { root: "Trigger", start, onChange } });
    const note = screen.getByRole<HTMLInputElement>("combobox", { name: "Note" });
    for (const typed of ["1", "37"]) {
      await user.click(note);
      await user.clear(note);
      await user.keyboard(typed);
      await screen.findByRole("listbox");
      await user.keyboard("{Enter}");
      await waitFor(() => expect(screen.queryByRole("listbox")).toBeNull());
      expect(onChange.mock.lastCall).toEqual([{ type: "Note", note: Number(typed) }]);
      expect(note.value).toContain(`(${typed})`);
    }
  });

  it("have a list that is as wide as they are, with their button", async () => {
    render(FormHost, { props: { root: "Trigger", start: { type: "Note", note: 60 } } });
    const note = screen.getByRole("combobox", { name: "Note" });
    const field = note.parentElement!;
    vi.spyOn(field, "getBoundingClientRect").mockReturnValue(new DOMRect(0, 0, 300, 28));
    vi.spyOn(note, "getBoundingClientRect").mockReturnValue(new DOMRect(0, 0, 276, 28));
    await userEvent.click(note);
    const frame = (await screen.findByRole("listbox")).parentElement!;
    await waitFor(() =>
      expect(frame.style.getPropertyValue("--bits-floating-anchor-width")).toBe("300px"),
    );
  });

  describe("the note of a trigger", () => {
    async function open(start: Record<string, unknown>) {
      const controls = [36, 38].map((number) => ({
        ...{ name: `pad${number - 35}`, label: `Pad ${number - 35}`, kind: "pad" as const },
        ...{ control_class: "note" as const, number, channel: 10, row: 0, col: 0 },
      }));
      const names = { pads: { "note 40 ch 10": "Airhorn" } };
      const { settings } = CONFIG.config;
      const transport = fakeConductor({
        "virtual.layout": () => ({ device: "virtual", controls }),
        "config.get": () => ({
          ...CONFIG,
          config: { ...CONFIG.config, settings: { ...settings, names } },
        }),
      });
      const app = createState(new Client(transport));
      app.client.start();
      await waitFor(() => expect(app.config.view).not.toBeNull());
      const onChange = vi.fn();
      render(FormHost, { props: { app, root: "Trigger", start, onChange } });
      const note = screen.getByRole<HTMLInputElement>("combobox", { name: "Note" });
      await waitFor(() => expect(app.devices.virtualControls).toHaveLength(2));
      const user = userEvent.setup();
      await user.click(note);
      return { user, note, onChange };
    }

    it("is found by the name of a control", async () => {
      const { user, note, onChange } = await open({ type: "Note" });
      for (const [typed, number] of [
        ["pad 3", 38],
        ["Airhorn", 40],
      ] as const) {
        await user.clear(note);
        await user.keyboard(typed);
        expect((await screen.findAllByRole("option"))[0]!.textContent).toContain(`(${number})`);
        await user.keyboard("{Enter}");
        expect(onChange.mock.lastCall).toEqual([{ type: "Note", note: number }]);
        await waitFor(() => expect(note.value).toContain(`(${number})`));
      }
    });

    it("is named as on the device of the trigger", async () => {
      const { user } = await open({ type: "Note", device: "pads" });
      await user.keyboard("pad 3");
      await screen.findByText(/^There is no such note/);
    });

    it("stays as it was typed if it is unknown, with the reason, until Esc", async () => {
      const { user, note } = await open({ type: "Note" });
      await user.keyboard("Gong");
      await user.tab();
      await waitFor(() => expect(screen.queryByRole("listbox")).toBeNull());
      expect(note.value).toBe("Gong");
      expect(screen.getByRole("alert").textContent).toContain("There is no such note");
      note.focus();
      await user.keyboard("{Escape}");
      await waitFor(() => expect(note.value).toBe(""));
      expect(screen.queryByRole("alert")).toBeNull();
    });
  });

  it("names the note that a pad sends", async () => {
    const start = { type: "SendMidi", port: "Synth", message_type: "NoteOn", note: 37 };
    const onChange = vi.fn();
    render(FormHost, { props: { root: "Action", start, onChange } });
    expect(screen.getByRole<HTMLInputElement>("combobox", { name: "Note" }).value).toBe("C#1 (37)");
    await fireEvent.click(screen.getByRole("button", { name: "Show piano" }));
    await fireEvent.click(screen.getByRole("button", { name: "D1 (38)" }));
    expect(onChange).toHaveBeenLastCalledWith({ ...start, note: 38 });
  });
  it("forget what was typed in the field of the kind and chose nothing", async () => {
    const user = userEvent.setup();
    render(FormHost, { props: { root: "Action", start: { type: "OscSend", address: "/a" } } });
    const kind = screen.getByRole<HTMLInputElement>("combobox", { name: "Action: kind" });
    await user.click(kind);
    await user.type(kind, "abc", { initialSelectionStart: 8 });
    await user.tab();
    expect(kind.value).toBe("Send OSC");
  });

  it("ask for the kind of another condition", async () => {
    const onChange = vi.fn();
    render(FormHost, {
      props: { root: "Condition", start: { type: "And", conditions: [] }, onChange },
    });
    await fireEvent.click(screen.getByRole("button", { name: "Add condition" }));
    expect(onChange).not.toHaveBeenCalled();
    const kind = screen.getByRole("combobox", { name: "Condition 1: kind" });
    expect(document.activeElement).toBe(kind);
  });

  it("show an error where it belongs", () => {
    const errors = errorsUnder(
      { "changes.0.mapping.action.then.keys": "give at least one key" },
      "changes.0.mapping.action",
    );
    const start = {
      type: "Conditional",
      condition: { type: "Always" },
      then: { type: "Keystroke", keys: [] },
    };
    render(FormHost, { props: { root: "Action", start, errors } });
    expect(screen.getByRole("alert").textContent).toBe("give at least one key");
  });

  it("of which one is given take each other's place", async () => {
    const onChange = vi.fn();
    render(FormHost, {
      props: {
        root: "Trigger",
        start: { type: "LongPress", note: 36, button: null, duration_ms: 500 },
        onChange,
      },
    });
    await fireEvent.click(screen.getByRole("radio", { name: "Gamepad button" }));
    expect(onChange.mock.lastCall?.[0]).toEqual({
      type: "LongPress",
      note: null,
      button: "south",
      duration_ms: 500,
    });
  });
});

describe("names and curves", () => {
  it("read back every note name in both conventions", () => {
    for (const convention of ["C3", "C4"] as const) {
      for (let note = 0; note < 128; note++)
        expect(parseNote(noteName(note, convention), convention)).toBe(note);
    }
    expect([
      noteName(60, "C3"),
      noteName(60, "C4"),
      parseNote("Eb3"),
      parseNote("300"),
      parseNote("H2"),
    ]).toEqual(["C3", "C4", 63, null, null]);
  });

  it("are given to every kind", () => {
    for (const [, tag] of KINDS) expect(kindName(tag)).toMatch(/^[A-Z]/);
  });

  it("draw curves as the engine computes them", () => {
    expect(applyCurve({ type: "Linear", min: 127, max: 0 }, 27)).toBe(100);
    expect(applyCurve({ type: "Curve", intensity: 0 }, 64)).toBe(64);
    expect(applyCurve({ type: "Curve", curve_type: "s_curve", intensity: 1 }, 63.5)).toBeCloseTo(
      63.5,
    );
    expect(applyCurve({ type: "Curve", curve_type: "exponential" }, 64)).toBeLessThan(64);
    expect(applyCurve({ type: "Curve", curve_type: "logarithmic" }, 64)).toBeGreaterThan(64);
  });
});

it("does not repeat the kind of a trigger that its phrase says", () => {
  expect(kindBesidePhrase("DoubleTap", "Double tap Pad 3")).toBeNull();
  expect(kindBesidePhrase("DoubleTap", "Pad 3 doppelt tippen")).toBeNull();
  expect(kindBesidePhrase("Note", "Note 36 (C1)")).toBeNull();
  expect(kindBesidePhrase("Note", "Pad 3")).toBe("Note");
});
