/** The pages of the settings, their folds and their search. */
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { fireEvent, render, screen, waitFor, within } from "@testing-library/svelte";
import userEvent from "@testing-library/user-event";
import { expect, it } from "vitest";
import { german } from "$features/skills/strings.de";
import { strings } from "$features/skills/strings";
import { Client } from "$lib/client/client";
import type { ConfigView } from "$lib/client/types";
import type { SettingsPage } from "$lib/state/navigation";
import { createState } from "$lib/state/state";
import App from "../src/App.svelte";
import "./load-views";
import { CONFIG, fakeConductor } from "./sample";

const SKILLS = join(import.meta.dirname, "../../skills");

async function open(page: SettingsPage, settings: object = {}) {
  const config = { ...CONFIG.config, settings: { ...CONFIG.config.settings, ...settings } };
  const transport = fakeConductor({
    "config.get": () => ({ ...CONFIG, config }) as ConfigView,
  });
  const client = new Client(transport);
  const state = createState(client);
  state.ui.navigate("settings", { kind: "page", page });
  client.start();
  render(App, { state });
  await screen.findByRole("heading", { name: "Settings", level: 1 });
  return transport;
}

it("offers the server of a transcription only to those who use one", async () => {
  await open("voice", { voice: { transcription: "server" } });
  const voice = within(await screen.findByRole("region", { name: "Voice" }));
  expect(voice.getByRole("textbox", { name: "Server that transcribes" })).toBeTruthy();
  expect(voice.queryByRole("textbox", { name: "Provider that transcribes" })).toBeNull();
});

it("folds rare settings, and counts those that were changed", async () => {
  await open("io", { learn: { chord_ms: 80 } });
  const learn = within(await screen.findByRole("region", { name: "MIDI Learn" }));
  expect(learn.queryByRole("spinbutton", { name: "Chord" })).toBeNull();
  await fireEvent.click(learn.getByText("3 more settings, 1 changed"));
  await waitFor(() => expect(learn.getByLabelText("Chord")).toBeTruthy());
});

it("searches all pages, and returns to the page before", async () => {
  await open("agents");
  const search = await screen.findByRole("searchbox", { name: "Search in Settings" });
  await userEvent.type(search, "chord");
  expect(await screen.findByRole("region", { name: "MIDI Learn" })).toBeTruthy();
  expect(screen.getByLabelText("Chord")).toBeTruthy();
  await userEvent.clear(search);
  expect(await screen.findByRole("region", { name: "Agents (A2A)" })).toBeTruthy();
});

it("shows a change of the window without the Undo of a mapping", async () => {
  await open("general");
  await fireEvent.click(await screen.findByRole("switch", { name: /login/i }));
  expect(await screen.findByText("Start at login changed")).toBeTruthy();
  expect(screen.queryByRole("button", { name: "Undo" })).toBeNull();
});

it("offers the tools for the lists of allowed and denied tools", async () => {
  const transport = await open("agents");
  const agents = within(await screen.findByRole("region", { name: "Agents (MCP)" }));
  await fireEvent.click(agents.getByText(/more settings/));
  const field = await agents.findByRole("combobox", { name: "Denied tools: add a tool" });
  await userEvent.click(field);
  await userEvent.type(field, "switch mode");
  await userEvent.click(await screen.findByRole("option", { name: /Switch mode/ }));
  await waitFor(() =>
    expect(transport.called("config.commit")).toMatchObject([
      {
        changes: [{ settings: { llm: { mcp: { denied_tools: ["conductor_switch_mode"] } } } }],
      },
    ]),
  );
});

it("describes every skill that Conductor includes, in both languages", () => {
  const included = readdirSync(SKILLS).sort();
  expect(Object.keys(strings.included).sort()).toEqual(included);
  expect(Object.keys(german.included).sort()).toEqual(included);
});
