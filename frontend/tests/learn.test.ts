/** Listening for a control: in Learn, in the first steps and for a new mapping. */
import { fireEvent, render, screen, waitFor, within } from "@testing-library/svelte";
import userEvent from "@testing-library/user-event";
import { describe, expect, it, vi } from "vitest";
import { language } from "$language/language.svelte";
import { Client } from "$lib/client/client";
import type { DeviceView } from "$lib/client/types";
import { createState } from "$lib/state/state";
import App from "../src/App.svelte";
import "./load-views";
import TryItHost from "./TryItHost.svelte";
import { CONFIG, LAYOUT, STATUS, fakeConductor } from "./sample";

type Handlers = NonNullable<Parameters<typeof fakeConductor>[0]>;

async function open(view: string, handlers: Handlers = {}) {
  const transport = fakeConductor(handlers);
  const state = createState(new Client(transport));
  state.ui.view = view;
  state.client.start();
  transport.push(["status", STATUS]);
  render(App, { props: { state } });
  await vi.waitFor(() => expect(state.config.view).not.toBeNull());
  return { state, transport, user: userEvent.setup() };
}

const port = (port_name: string): DeviceView => ({
  device_id: port_name,
  port_name,
  kind: "midi_input",
  connected: true,
  enabled: true,
  is_configured: false,
  problem: null,
  battery: null,
});
const devices = (...listed: DeviceView[]): Handlers => ({
  "devices.list": () => ({ devices: listed, aliases: [], outputs: [] }),
});
const HEARD = {
  events: [
    {
      kind: "note_on" as const,
      device: "virtual",
      channel: 10,
      number: 36,
      value: 100,
      time: 1,
      text: "note 36 (C1)",
    },
  ],
  suggestions: [
    {
      trigger: { type: "Note" as const, note: 36 },
      why: "played",
      confidence: 0.9,
      words: { ...CONFIG.rows["mode:Default"]![0]!, trigger: "Note 36" },
    },
  ],
};

describe("ports of programs", () => {
  const OWN = port("Conductor In");

  it("are no controller whose picture opens by itself", async () => {
    const { state } = await open("controller", devices(OWN, port("Midi Through Port-0")));
    await waitFor(() => expect(state.devices.loaded).toBe(true));
    expect(await screen.findByLabelText("Device: Virtual controller")).toBeTruthy();
    expect(state.devices.controllers).toEqual([]);
  });

  it("come after a device that a user plays", async () => {
    await open("controller", devices(OWN, port("MPK mini")));
    expect(await screen.findByLabelText("Device: MPK mini")).toBeTruthy();
  });
});

describe("Learn", () => {
  it("uses the control at Enter, although it was opened from the navigation", async () => {
    const { user } = await open("monitor", { "learn.poll": () => HEARD });
    const entry = (await screen.findAllByRole("button", { name: /^Learn/ })).at(0)!;
    entry.focus();
    await user.keyboard("{Enter}");
    await screen.findByRole("list", { name: /Matching triggers/ });
    await user.keyboard("{Enter}");
    expect(await screen.findByRole("region", { name: "New mapping" })).toBeTruthy();
  });

  it("asks before a mapping that was filled in is discarded", async () => {
    const { state, user } = await open("learn", { "learn.poll": () => HEARD });
    await user.click(await screen.findByRole("button", { name: /Note 36/ }));
    await user.click(await screen.findByRole("button", { name: "Type text" }));
    await user.type(screen.getByRole("textbox", { name: "Text" }), "hello");
    const keep = async (): Promise<void> => {
      const dialog = await screen.findByRole("dialog", { name: "Discard this mapping?" });
      await user.click(within(dialog).getByRole("button", { name: "Keep editing" }));
      expect(screen.getByRole("textbox", { name: "Text" })).toHaveProperty("value", "hello");
    };
    state.ui.navigate("mappings");
    await keep();
    expect(state.ui.view).toBe("learn");
    await user.click(screen.getByRole("button", { name: "Choose another control" }));
    await keep();
    state.ui.navigate("mappings");
    const dialog = await screen.findByRole("dialog", { name: "Discard this mapping?" });
    await user.click(within(dialog).getByRole("button", { name: "Discard" }));
    await waitFor(() => expect(state.ui.view).toBe("mappings"));
  });

  it("listens without mappings from now on, if it is to be silent", async () => {
    const { state, transport, user } = await open("learn", { "learn.poll": () => HEARD });
    await waitFor(() => expect(transport.called("learn.start")).toEqual([{ is_silent: false }]));
    await user.click(await screen.findByRole("switch", { name: "Pause mappings" }));
    await waitFor(() => expect(transport.called("learn.start")).toHaveLength(2));
    expect(transport.called("learn.start")[1]).toEqual({ is_silent: true });
    expect(state.ui.pref("learn.is_silent", false)).toBe(true);
  });
});

it("a new mapping in Mappings listens silently, as Learn was told to", async () => {
  const { state, transport, user } = await open("mappings");
  state.ui.setPref("learn.is_silent", true);
  await fireEvent.click(screen.getAllByRole("button", { name: /^New mapping(?! in)/ })[0]!);
  await screen.findByText("Press, hold, double-tap or turn a control.");
  expect(transport.called("learn.start")).toEqual([{ is_silent: true }]);
  await user.click(screen.getByRole("switch", { name: "Pause mappings" }));
  await waitFor(() => expect(transport.called("learn.start")).toHaveLength(2));
  expect(transport.called("learn.start")[1]).toEqual({ is_silent: false });
});

it.each([
  ["learn", "Letzte Eingabe: Note 36 (C1)"],
  ["mappings", "Eingabetaste verwendet es, oder noch einmal spielen. Letzte Eingabe: Note 36 (C1)"],
])("tells in German in %s what was played", async (view, said) => {
  await open(view, { "learn.poll": () => HEARD });
  await language.choose("de");
  if (view === "mappings")
    await fireEvent.click((await screen.findAllByRole("button", { name: /Neues Mapping/ }))[0]!);
  expect(await screen.findByText(RegExp(`^${said.replace(/[()]/g, "\\$&")}`))).toBeTruthy();
});

it.each(["learn", "mappings", "first steps"])(
  "Enter in %s uses the control after a click on the picture",
  async (view) => {
    const { state, user } = await open(view === "first steps" ? "chat" : view, {
      "learn.poll": () => HEARD,
      "virtual.layout": () => LAYOUT,
      ...devices(),
    });
    if (view === "first steps") state.ui.firstStepsOpen = true;
    if (view === "mappings")
      await fireEvent.click(screen.getAllByRole("button", { name: /^New mapping(?! in)/ })[0]!);
    await screen.findByRole("list", { name: /Matching triggers/ });
    // A click moves the focus to the control, and a drag to the knob.
    const part = await screen.findByRole("slider", { name: /^Knob 1/ });
    part.focus();
    await user.keyboard("{Enter}");
    expect(await screen.findByRole("group", { name: "Common actions" })).toBeTruthy();
  },
);

it("says that the time is up only when it is", async () => {
  await open("learn", { "learn.start": () => ({ timeout_ms: -1 }) });
  expect(await screen.findByText("Time is up")).toBeTruthy();
  expect(screen.queryByText("Stopped")).toBeNull();
});

it("does not promise to show a control once it listens no more", async () => {
  const { user } = await open("learn", { "virtual.layout": () => LAYOUT });
  await screen.findByText(/^The control that you play appears here/);
  await user.keyboard("{Escape}");
  await screen.findByText("Stopped");
  expect(document.querySelector<HTMLElement>(".pulse")!.style.getPropertyValue("--left")).toBe("0");
  expect(screen.queryByText(/^The control that you play appears here/)).toBeNull();
});

describe("the first steps", () => {
  it("ask for a touch only once the session has begun", async () => {
    let begin = (): void => {};
    const { state } = await open("chat", {
      "learn.start": () =>
        new Promise((resolve) => (begin = () => resolve({ timeout_ms: 30_000 }))) as never,
    });
    state.ui.firstStepsOpen = true;
    const dialog = await screen.findByRole("dialog", { name: "First steps" });
    await fireEvent.keyDown(dialog, { key: "Enter" });
    expect(within(dialog).queryByText("Stopped")).toBeNull();
    expect(within(dialog).queryByText("Touch a control")).toBeNull();
    begin();
    expect(await within(dialog).findByRole("timer")).toBeTruthy();
    expect(within(dialog).getByText("Touch a control")).toBeTruthy();
  });

  it("ask before they close over a mapping that was filled in", async () => {
    const { state, user } = await open("chat", { "learn.poll": () => HEARD });
    state.ui.firstStepsOpen = true;
    await user.click(await screen.findByRole("button", { name: /Note 36/ }));
    await user.click(await screen.findByRole("button", { name: "Type text" }));
    await user.type(screen.getByRole("textbox", { name: "Text" }), "hello");
    await user.click(screen.getByRole("button", { name: "Skip" }));
    const dialog = await screen.findByRole("dialog", { name: "Discard this mapping?" });
    await user.click(within(dialog).getByRole("button", { name: "Keep editing" }));
    expect(state.ui.firstStepsOpen).toBe(true);
  });

  it("name a device as the other views do", async () => {
    const { state } = await open("chat");
    state.ui.firstStepsOpen = true;
    const list = await screen.findByRole("list", { name: "Connected devices" });
    expect(await within(list).findByText("pads")).toBeTruthy();
    expect(within(list).queryByText("MPK mini 3")).toBeNull();
  });

  it("listen for the whole time from the second step on", async () => {
    const clock = vi.spyOn(performance, "now");
    const { state, transport } = await open("chat");
    state.ui.firstStepsOpen = true;
    const dialog = await screen.findByRole("dialog", { name: "First steps" });
    await vi.waitFor(() => expect(transport.called("learn.poll").length).toBeGreaterThan(0));
    const later = Math.round(performance.now()) + 9_000;
    clock.mockImplementation(() => later);
    await fireEvent.keyDown(dialog, { key: "Enter" });
    const polls = transport.called("learn.poll").length;
    await vi.waitFor(() => expect(transport.called("learn.poll").length).toBeGreaterThan(polls));
    expect(within(dialog).getByRole("timer").textContent).toBe("30 s");
    clock.mockRestore();
  });

  it("keep what is pressed while the second step opens", async () => {
    const { state, transport } = await open("chat");
    state.ui.firstStepsOpen = true;
    const dialog = await screen.findByRole("dialog", { name: "First steps" });
    await vi.waitFor(() => expect(transport.called("learn.poll").length).toBeGreaterThan(0));
    await fireEvent.keyDown(dialog, { key: "Enter" });
    await within(dialog).findByText("Touch a control");
    expect(transport.called("learn.start")).toHaveLength(1);
  });
});

it("a new mapping asks for a touch only once the session has begun", async () => {
  let begin = (): void => {};
  await open("mappings", {
    "learn.start": () =>
      new Promise((resolve) => (begin = () => resolve({ timeout_ms: 30_000 }))) as never,
  });
  await fireEvent.click(screen.getAllByRole("button", { name: /^New mapping(?! in)/ })[0]!);
  await screen.findByText("Starting to listen…");
  expect(screen.queryByText("Touch a control")).toBeNull();
  begin();
  expect(await screen.findByText("Touch a control")).toBeTruthy();
});

it("a new mapping whose action is known says for what a control is asked", async () => {
  const words = { ...CONFIG.rows["mode:Default"]![0]!, action: "Switch to mode Edit" };
  const { state } = await open("modes", { "config.describe": () => words });
  state.ui.navigate("mappings", {
    kind: "draft",
    start: { action: { type: "ModeChange", mode: "Edit", behaviour: "toggle" } },
  });
  await screen.findByText("Touch a control");
  expect((await screen.findByText("Switch to mode Edit")).parentElement!.textContent).toMatch(
    /^Do:/,
  );
});

describe("a new mapping after the time is up", () => {
  async function wait() {
    const opened = await open("mappings", { "learn.start": () => ({ timeout_ms: -1 }) });
    await fireEvent.click(screen.getAllByRole("button", { name: /^New mapping(?! in)/ })[0]!);
    await screen.findByText("No input");
    return opened;
  }

  it("listens again at New mapping, N and Enter", async () => {
    const { transport, user } = await wait();
    const times = (): number => transport.called("learn.start").length;
    await user.keyboard("{Enter}");
    await vi.waitFor(() => expect(times()).toBe(2));
    await screen.findByText("No input");
    await user.keyboard("n");
    await vi.waitFor(() => expect(times()).toBe(3));
    await user.click(screen.getAllByRole("button", { name: /^New mapping(?! in)/ })[0]!);
    await vi.waitFor(() => expect(times()).toBe(4));
  });

  it("uses the next control at Enter after Listen again", async () => {
    const { user } = await wait();
    await user.click(screen.getByRole("button", { name: "Listen again" }));
    expect(document.activeElement).toBe(
      screen.getByRole("complementary", { name: "Inspector" }).firstElementChild,
    );
  });
});

it("says plainly that the first action failed, and offers to change it", async () => {
  const transport = fakeConductor();
  const state = createState(new Client(transport));
  state.client.start();
  await vi.waitFor(() => expect(state.config.view).not.toBeNull());
  const onChange = vi.fn();
  render(TryItHost, { props: { state, onChange } });
  expect(document.querySelector(".lucide-party-popper")).not.toBeNull();
  expect(screen.getByText("Mute microphone")).toBeTruthy();
  transport.push([
    "failure",
    {
      mapping: "mode:Default #0",
      scope: "mode:Default",
      index: 0,
      action: { type: "Shell" },
      reason: "no program obss",
      time: 1,
      sequence: 3,
    },
  ]);
  expect(await screen.findByRole("heading", { name: "The action failed" })).toBeTruthy();
  expect(document.querySelector(".lucide-party-popper")).toBeNull();
  expect(screen.getByRole("status").textContent).toContain(
    "no program obss. The mapping is saved, and works as soon as this is solved.",
  );
  await fireEvent.click(screen.getByRole("button", { name: "Change the action" }));
  expect(onChange).toHaveBeenCalledOnce();
});
