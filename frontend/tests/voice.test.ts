/** Push-to-talk in the page: the button that is held, and the badge that shows an open microphone. */
import { fireEvent, render, screen, waitFor, within } from "@testing-library/svelte";
import { describe, expect, it } from "vitest";
import { Client } from "$lib/client/client";
import type { ConfigView } from "$lib/client/types";
import { createState, type State } from "$lib/state/state";
import { Refusal, type FakeTransport, type Handlers } from "$lib/transport/fake";
import App from "../src/App.svelte";
import "./load-views";
import { CONFIG, chatView, fakeConductor } from "./sample";

const HEARD = { text: "Copy", message: "/do Copy", outcome: "send" };

async function open(over: Handlers = {}): Promise<{ state: State; transport: FakeTransport }> {
  sessionStorage.clear();
  const transport = fakeConductor({
    "chat.open": () => chatView(),
    "voice.start": () => ({}),
    "voice.finish": () => HEARD,
    "voice.cancel": () => ({}),
    ...over,
  });
  const client = new Client(transport);
  const state = createState(client);
  state.ui.view = "chat";
  client.start();
  render(App, { state });
  await screen.findByRole("textbox", { name: "Message" });
  await waitFor(() => expect(state.voice.problem).not.toBeNull());
  return { state, transport };
}
const button = (): HTMLElement => screen.getByRole("button", { name: "Hold to talk" });
const event = (over: object): [string, unknown] => [
  "voice",
  { state: "idle", by: "", text: "", outcome: "none", message: "", conversation_id: null, ...over },
];
const methods = (transport: FakeTransport): string[] =>
  transport.calls
    .map(({ method }) => method)
    .filter((method) => /^(voice\.(?!status)|chat\.send)/.test(method));

describe("the microphone button", () => {
  it("listens while it is held, and sends what was heard", async () => {
    const { transport } = await open();
    await fireEvent.keyDown(button(), { key: " " });
    await fireEvent.keyDown(button(), { key: " ", repeat: true });
    expect(button().getAttribute("aria-pressed")).toBe("true");
    await waitFor(() => expect(methods(transport)).toEqual(["voice.start"]));
    await fireEvent.keyUp(button(), { key: " " });
    await waitFor(() =>
      expect(methods(transport)).toEqual(["voice.start", "voice.finish", "chat.send"]),
    );
    expect(transport.called("chat.send")[0]).toMatchObject({
      parts: [{ type: "text", text: "/do Copy" }],
    });
  });
  it("puts what was heard into the message field if that is wished", async () => {
    const { state, transport } = await open({
      "voice.finish": () => ({ ...HEARD, outcome: "draft" }),
    });
    state.chat.setDraft({ text: "Please", parts: [] });
    await fireEvent.keyDown(button(), { key: "Enter" });
    await fireEvent.blur(button()); // a release that the button does not see
    await waitFor(() => expect(state.chat.draft.text).toBe("Please /do Copy"));
    expect(methods(transport)).toEqual(["voice.start", "voice.finish"]);
  });
  it("forgets what was said with Escape", async () => {
    const { transport } = await open();
    await fireEvent.keyDown(button(), { key: " " });
    await fireEvent.keyDown(button(), { key: "Escape" });
    await fireEvent.keyUp(button(), { key: " " });
    await waitFor(() => expect(methods(transport)).toEqual(["voice.start", "voice.cancel"]));
  });
  it("shows why the microphone cannot be opened, once", async () => {
    const { transport } = await open({
      "voice.start": () => {
        throw new Refusal({
          code: "not_available",
          message: "No microphone was found: plug one in.",
        });
      },
    });
    await fireEvent.keyDown(button(), { key: " " });
    await fireEvent.keyUp(button(), { key: " " });
    expect(await screen.findAllByText("No microphone was found: plug one in.")).toHaveLength(1);
    expect(methods(transport)).toEqual(["voice.start"]);
  });
});

describe("speech that cannot be recognised", () => {
  const problem =
    "Names are recognised with PocketSphinx, which is not installed: `pip install " +
    '"conductor-midi[voice]"` (Python 3.11 to 3.13), or choose a transcription in Settings > ' +
    "Voice.";
  it("hides the microphone button, until it is possible", async () => {
    let now = problem;
    const { transport } = await open({
      "voice.status": () => ({ problem: now, microphone_problem: "" }),
    });
    await waitFor(() => expect(transport.called("voice.status")).toHaveLength(1));
    expect(screen.queryByRole("button", { name: "Hold to talk" })).toBeNull();
    now = "";
    transport.push(["config", { hash: "h2", label: "", reason: "edited" }]);
    expect(await screen.findByRole("button", { name: "Hold to talk" })).toBeTruthy();
  });
  it("is explained in the settings, with what to do", async () => {
    const { state } = await open({ "voice.status": () => ({ problem, microphone_problem: "" }) });
    state.ui.navigate("settings", { kind: "page", page: "voice" });
    const voice = within(await screen.findByRole("region", { name: "Voice" }));
    expect((await voice.findByRole("alert")).textContent).toContain("is not installed");
  });
});

it("says in the settings why the microphone did not open, once a control has tried it", async () => {
  let microphone_problem = "";
  const { state, transport } = await open({
    "voice.status": () => ({ problem: "", microphone_problem }),
  });
  state.ui.navigate("settings", { kind: "page", page: "voice" });
  const voice = within(await screen.findByRole("region", { name: "Voice" }));
  expect(voice.queryByRole("alert")).toBeNull();
  microphone_problem = "No sound server responds: start PulseAudio.";
  transport.push(event({ state: "opening", by: "Talk" }));
  transport.push(event({ by: "Talk", outcome: "failed", message: microphone_problem }));
  expect((await voice.findByRole("alert")).textContent).toContain("No sound server responds");
  // The failure of the mapping is shown by its own toast.
  expect(state.ui.toasts).toEqual([]);
});

describe("the setting of the microphone", () => {
  async function openList(over: Handlers, microphone = ""): Promise<FakeTransport> {
    const { state, transport } = await open({
      "config.get": () => withMicrophone(microphone),
      ...over,
    });
    state.ui.navigate("settings", { kind: "page", page: "voice" });
    const list = await screen.findByRole("combobox", { name: /^Microphone: / });
    list.focus();
    await fireEvent.keyDown(list, { key: "ArrowDown" });
    return transport;
  }
  const withMicrophone = (microphone: string): ConfigView => {
    const settings = { ...CONFIG.config.settings, voice: { microphone } };
    return { ...CONFIG, config: { ...CONFIG.config, settings } } as ConfigView;
  };
  const labels = async (): Promise<(string | null)[]> =>
    (await screen.findAllByRole("option")).map((option) => option.textContent?.trim() ?? null);

  it("lists the microphones when it is opened, and keeps the chosen one while unplugged", async () => {
    const transport = await openList(
      { "voice.microphones": () => ({ names: ["Headset", "Webcam", "Webcam"] }) },
      "USB microphone",
    );
    await waitFor(async () =>
      expect(await labels()).toEqual([
        "Default of the system",
        "Headset",
        "Webcam",
        "USB microphone (not connected)",
      ]),
    );
    await fireEvent.pointerUp(screen.getByRole("option", { name: "Webcam" }));
    await waitFor(() =>
      expect(transport.called("config.commit")[0]).toMatchObject({
        changes: [{ settings: { voice: { microphone: "Webcam" } } }],
      }),
    );
  });
  it("says why there is none", async () => {
    await openList({
      "voice.microphones": () => {
        throw new Refusal({
          code: "not_available",
          message: "No microphone was found: plug one in.",
        });
      },
    });
    expect((await screen.findAllByText("No microphone was found: plug one in.")).length).toBe(1);
    expect(await labels()).toEqual(["Default of the system"]);
  });
});

describe("a control that is held to talk", () => {
  it("is shown in every view while the microphone is open", async () => {
    const { state, transport } = await open();
    state.ui.view = "mappings";
    transport.push(event({ state: "listening", by: "Talk" }));
    expect(await screen.findByText("Listening")).toBeTruthy();
    transport.push(event({ state: "recognizing", by: "Talk" }));
    expect(await screen.findByText("Recognising")).toBeTruthy();
    transport.push(event({ by: "Talk", text: "Copy", outcome: "performed" }));
    expect(await screen.findByText("Done: Copy")).toBeTruthy();
    expect(screen.queryByText("Recognising")).toBeNull();
  });
  it("leaves what was heard in the message field, or says why nothing was", async () => {
    const { state, transport } = await open();
    state.ui.view = "mappings";
    transport.push(event({ by: "Talk", text: "Copy", message: "/do Copy", outcome: "waiting" }));
    await waitFor(() => expect(state.chat.draft.text).toBe("/do Copy"));
    expect(state.ui.view).toBe("chat");
    transport.push(event({ state: "recognizing", by: "Talk" }));
    transport.push(event({ by: "Talk", message: "No words were heard.", outcome: "failed" }));
    expect(await screen.findByText("No words were heard.")).toBeTruthy();
  });
});
