/** The recording in the settings: its size, and deleting it. */
import { fireEvent, render, screen, waitFor, within } from "@testing-library/svelte";
import { expect, it } from "vitest";
import { describeRecording } from "$features/settings/recording";
import { Client } from "$lib/client/client";
import type { RecordingStatus } from "$lib/client/types";
import { createState } from "$lib/state/state";
import App from "../src/App.svelte";
import "./load-views";
import { fakeConductor } from "./sample";

const STATUS: RecordingStatus = {
  segments: 3,
  entries: 4_210,
  played_s: 960,
  is_kept_on_disk: true,
  bytes_on_disk: 312_000,
};

it("says how much was recorded, and where it is", () => {
  expect(describeRecording(STATUS)).toBe(
    "Recorded: 16 min of input, 4,210 events, 312 kB on disk.",
  );
  expect(describeRecording({ ...STATUS, is_kept_on_disk: false, entries: 1, played_s: 4 })).toBe(
    "Recorded: 4 s of input, 1 event, in memory only.",
  );
  expect(describeRecording({ ...STATUS, entries: 0 })).toBe("Nothing recorded yet.");
});

it("is cleared once that is confirmed", async () => {
  let status = STATUS;
  const transport = fakeConductor({
    "recording.status": () => status,
    "recording.clear": () => ((status = { ...STATUS, entries: 0 }), STATUS),
  });
  const client = new Client(transport);
  const state = createState(client);
  state.ui.navigate("settings", { kind: "page", page: "io" });
  client.start();
  render(App, { state });
  const recording = within(await screen.findByRole("group", { name: "Recording" }));
  await fireEvent.click(recording.getByRole("button", { name: "Clear recording" }));
  expect(transport.called("recording.clear")).toEqual([]);
  await fireEvent.click(
    within(
      await screen.findByRole("alertdialog").catch(() => screen.findByRole("dialog")),
    ).getByRole("button", { name: "Clear recording" }),
  );
  await waitFor(() => expect(recording.getByText("Nothing recorded yet.")).toBeTruthy());
  expect(transport.called("recording.clear")).toHaveLength(1);
  expect(recording.getByRole("button", { name: "Clear recording" })).toHaveProperty(
    "disabled",
    true,
  );
});
