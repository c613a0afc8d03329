/** The panel that maps a control in the Controller view, in Learn and in the first steps. */
import { fireEvent, render, screen, waitFor, within } from "@testing-library/svelte";
import userEvent from "@testing-library/user-event";
import { describe, expect, it, vi } from "vitest";
import { buildLabels } from "$features/controller/labels";
import { loadKeycaps } from "$features/controller/keys";
import { actionForTrigger, fillMessage, initialAction } from "$forms";
import { Client } from "$lib/client/client";
import { createState } from "$lib/state/state";
import { Refusal } from "$lib/transport/fake";
import App from "../src/App.svelte";
import FormHost from "./FormHost.svelte";
import "./load-views";
import { CONFIG, LAYOUT, STATUS, fakeConductor } from "./sample";

/** The pad has a mapping. */
const TAKEN = {
  ...LAYOUT,
  controls: LAYOUT.controls.map((one) => (one.name === "pad1" ? { ...one, number: 36 } : one)),
};

/** The config, in which the pad has only its tap, and Learn suggests a hold from 700 ms on. */
function withoutHold(): typeof CONFIG {
  const { config, rows } = CONFIG;
  const [mode, ...modes] = config.modes;
  const settings = {
    ...config.settings,
    learn: { ...config.settings.learn, long_press_ms: 700 },
  };
  return {
    ...CONFIG,
    config: {
      ...config,
      modes: [{ ...mode!, mappings: [mode!.mappings![0]!] }, ...modes],
      settings,
    },
    rows: { ...rows, "mode:Default": [rows["mode:Default"]![0]!] },
  };
}

/** The config, in which the pad has a double tap beside its tap and its hold. */
function withAllGestures(): typeof CONFIG {
  const { config, rows } = CONFIG;
  const [mode, ...modes] = config.modes;
  const [tap, ...others] = mode!.mappings!;
  const double = { ...tap!, trigger: { type: "DoubleTap" as const, note: 36 } };
  const mappings = [tap!, ...others, double];
  const words = rows["mode:Default"]!;
  return {
    ...CONFIG,
    config: { ...config, modes: [{ ...mode!, mappings: mappings as typeof others }, ...modes] },
    rows: { ...rows, "mode:Default": [...words, words[0]!] },
  };
}

async function openController(handlers: Parameters<typeof fakeConductor>[0] = {}) {
  const transport = fakeConductor({ "virtual.layout": () => LAYOUT, ...handlers });
  const state = createState(new Client(transport));
  state.ui.view = "controller";
  state.ui.prefs = { "controller.device": "virtual" };
  state.client.start();
  transport.push(["status", STATUS]);
  render(App, { props: { state } });
  await vi.waitFor(() => expect(state.config.view).not.toBeNull());
  await screen.findByRole("button", { name: /^Pad 1:/ });
  return { state, transport, user: userEvent.setup() };
}

/** Drop an action on a control of the picture. */
async function drop(part: string, kind: string): Promise<HTMLElement> {
  const target = document.querySelector(`[data-part="${part}"]`)!;
  const event = new Event("drop", { bubbles: true, cancelable: true });
  Object.assign(event, { dataTransfer: { getData: () => kind } });
  await fireEvent(target, event);
  return screen.findByRole("region", { name: "New mapping" });
}
const panel = (): HTMLElement | null => screen.queryByRole("region", { name: "New mapping" });

describe("a new mapping in the Controller view", () => {
  it("is kept when Esc closes a list, and asks before it is discarded", async () => {
    const { user } = await openController();
    const map = await drop("pad1", "Text");
    await user.keyboard("hello");
    await user.click(within(map).getByRole("combobox", { name: "Do: kind" }));
    await user.keyboard("{ArrowDown}");
    await screen.findByRole("listbox");
    await user.keyboard("{Escape}");
    await waitFor(() => expect(screen.queryByRole("listbox")).toBeNull());
    expect(screen.queryByRole("dialog")).toBeNull();
    expect(panel()).not.toBeNull();

    // The key that opens the question must not reach the question, which it would close.
    const reached = vi.fn();
    window.addEventListener("keydown", reached);
    await user.keyboard("{Escape}");
    window.removeEventListener("keydown", reached);
    expect(reached).not.toHaveBeenCalled();
    const dialog = await screen.findByRole("dialog", { name: "Discard this mapping?" });
    await user.click(within(dialog).getByRole("button", { name: "Keep editing" }));
    expect(panel()).not.toBeNull();
  });

  it("asks before another control is selected or the view is left", async () => {
    const { state, user } = await openController();
    await drop("pad1", "Text");
    await user.keyboard("hello");
    state.ui.navigate("mappings");
    let dialog = await screen.findByRole("dialog", { name: "Save this mapping?" });
    await user.click(within(dialog).getByRole("button", { name: "Keep editing" }));
    expect(state.ui.view).toBe("controller");
    document.querySelector<SVGGElement>("[data-part=knob1]")!.focus();
    await user.keyboard("{Enter}");
    dialog = await screen.findByRole("dialog", { name: "Save this mapping?" });
    await user.click(within(dialog).getByRole("button", { name: "Discard" }));
    await waitFor(() => expect(panel()).toBeNull());
    expect(screen.getByRole("region", { name: "Mappings of Knob 1" })).toBeTruthy();
  });

  it("can be saved before the view is left", async () => {
    const { state, transport, user } = await openController();
    await drop("pad1", "Text");
    await user.keyboard("hello");
    state.ui.navigate("mappings");
    const dialog = await screen.findByRole("dialog", { name: "Save this mapping?" });
    await user.click(within(dialog).getByRole("button", { name: "Save" }));
    await waitFor(() => expect(state.ui.view).toBe("mappings"));
    expect(transport.called("config.commit")).toMatchObject([
      { changes: [{ change_type: "CreateMapping", mapping: { action: { text: "hello" } } }] },
    ]);
  });

  it("is closed at once if nothing was filled in, and named in the question otherwise", async () => {
    const { user } = await openController();
    await drop("pad1", "Text");
    await user.keyboard("{Escape}");
    await waitFor(() => expect(panel()).toBeNull());
    await drop("pad1", "Text");
    await user.type(screen.getByRole("textbox", { name: "Name" }), "Greeting");
    await user.keyboard("{Escape}");
    const dialog = await screen.findByRole("dialog", { name: "Discard this mapping?" });
    expect(dialog.textContent).toContain("Greeting is not saved yet.");
  });

  it("asks what becomes of the mapping that is there, and names it", async () => {
    const { transport, user } = await openController({ "virtual.layout": () => TAKEN });
    const map = await drop("pad1", "VolumeControl");
    within(map).getByText(/is already mapped: Mute microphone/);
    const ways = within(map).getAllByRole("radio").slice(0, 2);
    expect(ways.map((one) => one.textContent.trim())).toEqual(["Replace it", "Add a double tap"]);
    expect(document.activeElement).toBe(ways[0]);
    const save = within(map).getByRole("button", { name: /^Save/ }) as HTMLButtonElement;
    await waitFor(() => expect(transport.called("config.preview").length).toBeGreaterThan(0));
    expect(save.disabled).toBe(true);
    await user.click(ways[1]!);
    await waitFor(() => expect(save.disabled).toBe(false));
    await user.click(ways[0]!);
    await waitFor(() => expect(save.disabled).toBe(false));
    await user.click(save);
    await waitFor(() =>
      expect(transport.called("config.commit")).toMatchObject([
        {
          changes: [
            {
              change_type: "UpdateMapping",
              mode: "Default",
              index: 0,
              action: { type: "VolumeControl" },
              description: "Mute microphone",
            },
          ],
        },
      ]),
    );

    await waitFor(() => expect(document.activeElement).toHaveProperty("dataset.row"));
    expect((document.activeElement as HTMLElement).dataset["row"]).toBe("mode:Default#0");
  });

  it("adds a hold of the duration that Learn suggests from on", async () => {
    const { transport, user } = await openController({
      "virtual.layout": () => TAKEN,
      "config.get": () => withoutHold(),
    });
    const map = await drop("pad1", "VolumeControl");
    await user.click(within(map).getByRole("radio", { name: "Add a hold, 700 ms" }));
    await waitFor(() =>
      expect(transport.called("config.preview").at(-1)).toMatchObject({
        changes: [{ mapping: { trigger: { type: "LongPress", note: 36, duration_ms: 700 } } }],
      }),
    );
  });

  it("names what it replaces where no other gesture is free", async () => {
    const { user } = await openController({
      "virtual.layout": () => TAKEN,
      "config.get": () => withAllGestures(),
    });
    const map = await drop("pad1", "VolumeControl");
    within(map).getByText(/is already mapped: Mute microphone. A new mapping can only replace it/);
    await user.click(within(map).getByRole("radio", { name: "Replace: Mute microphone" }));
    expect(within(map).getByRole("textbox", { name: "Name" })).toHaveProperty(
      "value",
      "Mute microphone",
    );
  });

  it("notes a tap that will wait, which is no warning", async () => {
    const { user } = await openController({
      "config.preview": () =>
        ({
          overlaps: [
            {
              kind: "tap_delayed",
              severity: "info",
              message: "the double tap of `Pad 1` delays its tap by 250 ms",
              places: ["mode:Default #1"],
              is_new: true,
              gesture: null,
              control_names: [],
            },
          ],
          warnings: [],
        }) as never,
    });
    const map = await drop("pad1", "Text");
    await user.keyboard("hello");
    const note = await within(map).findByText(
      "The double tap of “Pad 1” delays its tap by 250 ms.",
    );
    expect(within(note.closest<HTMLElement>(".note")!).getByLabelText("info")).toBeTruthy();
  });

  it("is not saved by Ctrl+Enter before it is chosen what becomes of the other one", async () => {
    const { transport, user } = await openController({ "virtual.layout": () => TAKEN });
    const map = await drop("pad1", "VolumeControl");
    await waitFor(() => expect(transport.called("config.preview").length).toBeGreaterThan(0));
    within(map).getByRole("textbox", { name: "Name" }).focus();
    const way = within(map).getByRole("radio", { name: "Replace it" });
    await user.keyboard("{Control>}{Enter}{/Control}");
    await waitFor(() => expect(document.activeElement).toBe(way));
    expect(transport.called("config.commit")).toEqual([]);
  });

  it("follows the control or sets a number, which are two choices", async () => {
    await openController();
    const map = await drop("knob1", "VolumeControl");
    const source = await within(map).findByRole("radiogroup", { name: "Level: source" });
    const names = within(source).getAllByRole("radio");
    expect(names.map((one) => one.textContent.trim())).toEqual(["Number", "From the control"]);
    expect(names[1]!.getAttribute("aria-checked")).toBe("true");
  });

  it("marks a mapping that never acts, in the panel and on the pad", async () => {
    const { state, transport } = await openController({ "virtual.layout": () => TAKEN });
    const view = state.config.view!;
    const overlap = {
      kind: "duplicate" as const,
      severity: "error" as const,
      message: "`Hold` never acts: `Mute` goes first",
      places: ["mode:Default #1", "mode:Default #0"],
      is_new: false,
      gesture: null,
      control_names: [],
    };
    transport.handlers["config.get"] = () => ({ ...view, overlaps: [overlap] });
    await state.config.load();
    const pad = await screen.findByRole("button", { name: /a mapping loses to another one/ });
    await fireEvent.keyDown(pad, { key: "Enter" });
    expect(
      await screen.findByRole("img", { name: "Hold never acts: Mute goes first" }),
    ).toBeTruthy();
  });

  it("is saved by the first Ctrl+Enter, also before its last edit was checked", async () => {
    const preview = fakeConductor().handlers["config.preview"]!;
    let isChecked = false;
    const { transport, user } = await openController({
      "config.preview": (params) => {
        if (!JSON.stringify(params).includes('"text":""')) return preview(params);
        isChecked = true;
        const path = "changes.0.mapping.action.text";
        const data = { fields: [{ path, message: "must have at least 1 character" }] };
        throw new Refusal({ code: "invalid_change", message: "invalid", data });
      },
    });
    await drop("pad1", "Text");
    await waitFor(() => expect(isChecked).toBe(true));
    await user.keyboard("hello{Control>}{Enter}{/Control}");
    await waitFor(() => expect(transport.called("config.commit")).toHaveLength(1));
  });

  it("says before it is saved what is missing on this computer", async () => {
    const { user } = await openController({
      "config.missing": ({ action }) => ({
        parts: action
          ? [{ scope: null, index: null, message: "no app `obss` - did you mean `obs`?" }]
          : [],
      }),
    });
    const map = await drop("pad1", "Launch");
    await user.keyboard("obss");
    expect(await within(map).findByText(/did you mean/)).toBeTruthy();
    expect(within(map).queryByText("No conflicts")).toBeNull();
  });

  it("starts in the text field of an action that types a text", async () => {
    await openController();
    await drop("pad1", "Text");
    expect(document.activeElement?.tagName).toBe("TEXTAREA");
  });
});

describe("the mappings of a control", () => {
  it("open by Enter while the picture is played in a narrow window", async () => {
    const { user } = await openController();
    document.querySelector<SVGGElement>("[data-part=pad1]")!.focus();
    await user.keyboard("{Enter}");
    expect(screen.getByRole("region", { name: "Mappings of Pad 1" })).toBeTruthy();
  });
});

describe("the volume on a knob or a fader", () => {
  it("follows the control, and steps on a pad", () => {
    const start = initialAction("VolumeControl")!;
    expect(actionForTrigger(start, { type: "CC", cc: 20 })).toEqual({
      type: "VolumeControl",
      operation: "Set",
      value: { from: "value" },
    });
    expect(actionForTrigger(start, { type: "CC", cc: 20, value_min: 64 })).toBe(start);
    expect(actionForTrigger(start, { type: "Note", note: 36 })).toBe(start);
    const light = initialAction("Led")!;
    expect(actionForTrigger(light, { type: "Note", note: 36, device: "pads" })).toEqual({
      ...light,
      device: "pads",
    });
  });

  it("is the same for a MIDI message, which is a control change on the same channel", () => {
    const start = initialAction("SendMidi")!;
    expect(actionForTrigger(start, { type: "CC", cc: 11, channel: 3 })).toMatchObject({
      message_type: "CC",
      controller: 11,
      channel: 3,
      value: { from: "value" },
    });
    expect(actionForTrigger(start, { type: "PitchBend" })).toMatchObject({
      message_type: "CC",
      value: { from: "value" },
    });
    expect(actionForTrigger(start, { type: "EncoderTurn", cc: 11 })).toMatchObject({
      message_type: "CC",
      controller: 11,
      value: { from: "value" },
    });
  });

  it("is a note that ends with the press for a pad or a button", () => {
    const start = initialAction("SendMidi")!;
    expect(actionForTrigger(start, { type: "Note", note: 36, channel: 10 })).toMatchObject({
      message_type: "NoteOn",
      note: 36,
      velocity: { from: "value" },
      channel: 10,
      hold: "while_held",
    });
    expect(actionForTrigger(start, { type: "CC", cc: 11, value_min: 64 })).toMatchObject({
      message_type: "NoteOn",
      hold: "while_held",
    });
  });

  it("is no bank select when the message is changed to a control change", () => {
    const cc = { type: "SendMidi", port: "Synth", message_type: "CC" } as const;
    expect(fillMessage(cc, { type: "Note", note: 36 })).toEqual({
      ...cc,
      controller: 20,
      value: { from: "value" },
    });
    expect(fillMessage(cc, { type: "CC", cc: 74, value_min: 64 })).toMatchObject({
      controller: 74,
    });
    const chosen = { ...cc, controller: 7, value: 100 };
    expect(fillMessage(chosen, { type: "CC", cc: 74 })).toBe(chosen);
  });

  it("is dropped so on a knob", async () => {
    const { transport } = await openController();
    await drop("knob1", "VolumeControl");
    await vi.waitFor(() =>
      expect(transport.called("config.preview").at(-1)).toMatchObject({
        changes: [{ mapping: { action: { operation: "Set", value: { from: "value" } } } }],
      }),
    );
  });

  it("goes from 0 to 100 %, and the form says what comes out", async () => {
    const onChange = vi.fn();
    const start = { type: "VolumeControl", operation: "Set", value: { from: "value" } };
    render(FormHost, { props: { root: "Action", start, onChange } });
    const to = screen.getByRole("slider", { name: "To: slider" });
    expect(to).toMatchObject({ min: "0", max: "100", value: "100" });
    expect(screen.getByText("Lowest position: 0 %, middle: 50 %, highest: 100 %")).toBeTruthy();
    await fireEvent.input(screen.getByRole("slider", { name: "From: slider" }), {
      target: { value: "20" },
    });
    await fireEvent.input(to, { target: { value: "80" } });
    expect(onChange.mock.lastCall?.[0]).toMatchObject({ value: { min: 20, max: 80 } });
    expect(screen.getByText("Lowest position: 20 %, middle: 50 %, highest: 80 %")).toBeTruthy();
  });

  it("has one way to reverse it", async () => {
    const start = { type: "VolumeControl", operation: "Set", value: { from: "value" } };
    render(FormHost, { props: { root: "Action", start } });
    expect(screen.queryByRole("radio", { name: "Reversed" })).toBeNull();
    await fireEvent.click(screen.getByRole("switch", { name: "Reversed" }));
    expect(screen.getByText("Lowest position: 100 %, middle: 50 %, highest: 0 %")).toBeTruthy();
  });
});

describe("a pause", () => {
  it("starts with a time that is noticed", () => {
    expect(initialAction("Delay")).toMatchObject({ duration_ms: 100 });
  });
});

describe("a pad of the picture", () => {
  it("names its other gestures instead of counting two of them", async () => {
    await openController({ "virtual.layout": () => TAKEN, "config.get": () => withAllGestures() });
    const pad = await screen.findByRole("button", { name: /^Pad 1: Mute/ });
    const texts = [...pad.querySelectorAll("text")].map((one) => one.textContent.trim());
    expect(texts).not.toContain("+2 more");
    expect(texts).toEqual(
      expect.arrayContaining([expect.stringMatching(/hold/), expect.stringMatching(/^2×|double/)]),
    );
  });

  it("has a short word for a volume that follows the control", () => {
    const row = CONFIG.rows["mode:Default"]![0]!;
    const part = { id: "k", name: "Knob", controls: row.controls.map((one) => ({ ...one })) };
    const mapping = {
      ...CONFIG.config.modes[0]!.mappings![0]!,
      description: "",
      action: { type: "VolumeControl", operation: "Set", value: { from: "value" } },
    };
    const placed = { scope: "mode:Default", index: 0, mapping, words: row };
    const picture = { device: row.device ?? "pads", parts: [part] };
    const label = buildLabels(picture as never, [placed as never]).get("k")!;
    expect(label.short).toBe("Volume");
    expect(label.text).toBe(row.action);
  });
});

describe("the letters on the pads", () => {
  it("are those of the layout of the user where the browser knows it", async () => {
    const layout = new Map([
      ["KeyZ", "y"],
      ["Digit1", "&"],
    ]);
    vi.stubGlobal("navigator", { keyboard: { getLayoutMap: () => Promise.resolve(layout) } });
    try {
      expect(await loadKeycaps()).toMatchObject({ pad1: "Y", pad2: "X", pad13: "1" });
      vi.stubGlobal("navigator", {});
      expect(await loadKeycaps()).toMatchObject({ pad1: "Z" });
    } finally {
      vi.unstubAllGlobals();
    }
  });
});

describe("a MIDI output to choose", () => {
  it("is said to be missing when none is connected", async () => {
    const user = userEvent.setup();
    const start = { type: "SendMidi", message_type: "NoteOn", port: "" };
    render(FormHost, { props: { root: "Action", start, connected: false } });
    await user.click(screen.getByRole("combobox", { name: "Port" }));
    await user.keyboard("{ArrowDown}");
    expect(await screen.findByText(/^No MIDI output is connected/)).toBeTruthy();
  });
});
