/** The permission to press keys and the extension of the desktop, in the settings. */
import { fireEvent, render, screen, waitFor, within } from "@testing-library/svelte";
import { expect, it } from "vitest";
import { describeKeys, describeProfiles, needsPermission } from "$features/settings/desktop";
import { Client } from "$lib/client/client";
import type { DesktopAccess } from "$lib/client/types";
import { createState } from "$lib/state/state";
import App from "../src/App.svelte";
import "./load-views";
import { fakeConductor } from "./sample";

const REFUSED: DesktopAccess = {
  input_route: "XTEST",
  input_problem: "RemoteDesktop portal: you did not allow it (XTEST is used instead)",
  input_consent: "refused",
  extension: "missing",
  extension_problem: "GNOME does not reveal it: install the extension",
};
const PLAIN: DesktopAccess = {
  input_route: "XTEST",
  input_problem: null,
  input_consent: null,
  extension: null,
  extension_problem: "",
};

it("says how keys are sent, and only if there is something to decide", () => {
  expect(describeKeys(PLAIN)).toBeNull();
  expect(describeProfiles(PLAIN)).toBeNull();
  expect(describeKeys(REFUSED)).toBe(
    "Keys are sent by XTEST. RemoteDesktop portal: you did not allow it (XTEST is used instead).",
  );
  expect(describeKeys({ ...REFUSED, input_route: null, input_problem: null })).toBe(
    "Conductor cannot press keys yet.",
  );
  expect(needsPermission(REFUSED)).toBe(true);
  expect(needsPermission({ ...REFUSED, input_consent: "allowed" })).toBe(false);
});

it("asks again, shows that the desktop asks, and installs the extension", async () => {
  let access = REFUSED;
  const transport = fakeConductor({
    "desktop.access": () => access,
    "desktop.ask": () => ((access = { ...access, input_consent: "asking" }), {}),
    "desktop.install_extension": () => {
      access = { ...access, extension: "not_loaded", extension_problem: "log out and in again" };
      return { text: "The extension is installed." };
    },
  });
  const client = new Client(transport);
  const state = createState(client);
  state.ui.navigate("settings", { kind: "page", page: "io" });
  client.start();
  render(App, { state });
  const keys = within(await screen.findByRole("group", { name: "Keys and mouse" }));
  await fireEvent.click(keys.getByRole("button", { name: "Ask now" }));
  await waitFor(() => expect(keys.getByText(/The desktop is asking/)).toBeTruthy());
  expect(keys.queryByRole("button")).toBeNull();
  const front = within(screen.getByRole("group", { name: "App in front" }));
  await fireEvent.click(front.getByRole("button", { name: "Install" }));
  await waitFor(() => expect(front.getByText(/log out and in again/)).toBeTruthy());
  expect(front.getByRole("button", { name: "Remove extension" })).toBeTruthy();
});
