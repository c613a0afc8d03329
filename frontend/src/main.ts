/**
 * Starts the page: transport first, so that the token leaves the address before anything else runs.
 */
import { chooseTransport } from "$lib/transport/choose";
import "@fontsource-variable/inter";
import "$ui/tokens.css";
import "$ui/base.css";
import "$ui/popover.css";
import { mount } from "svelte";
import { language } from "$language/language.svelte";
import { Client } from "$lib/client/client";
import { createState, loadPrefs } from "$lib/state/state";
import App from "./App.svelte";

const client = new Client(chooseTransport());
const state = createState(client);
state.ui.starting = true;
let read = false;
client.onResync(() => {
  if (!read) void loadPrefs(state);
  read = true;
});
client.onLink((link) => {
  // There will be no preferences.
  if (link === "refused") state.ui.starting = false;
});
client.start();

language.followSystem();
// So that a page in another language does not show English first.
await language.restore();

const target = document.getElementById("app")!;
target.replaceChildren();
mount(App, { target, props: { state } });
