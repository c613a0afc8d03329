/**
 * The page with a fake backend: `npm run dev`, then open /demo.html or /demo.html?forms. Not part
 * of the build.
 */
import "@fontsource-variable/inter";
import "$ui/tokens.css";
import "$ui/base.css";
import "$ui/popover.css";
import { mount } from "svelte";
import { Client } from "$lib/client/client";
import { createState } from "$lib/state/state";
import App from "../src/App.svelte";
import Gallery from "./Gallery.svelte";
import { CONFIG, STATUS, fakeConductor, trace } from "./sample";

const query = new URLSearchParams(location.search);
const theme = query.get("theme") === "light" ? "light" : "dark";
const settings = {
  ...CONFIG.config.settings,
  ui: { ...CONFIG.config.settings.ui, theme },
} as const;
const transport = fakeConductor({
  "config.get": () => ({ ...CONFIG, config: { ...CONFIG.config, settings } }),
});
const client = new Client(transport);
const state = createState(client);
state.ui.view = query.get("view") ?? "";
client.start();
transport.push(
  ["status", STATUS],
  ["front", { executable: "obs", bundle_id: "", title: "OBS 31" }],
);
let sequence = 0;
setInterval(() => transport.push(["trace", trace(++sequence)]), 700);

const target = document.getElementById("app")!;
document.documentElement.dataset["theme"] = theme;
if (query.has("forms")) mount(Gallery, { target });
else mount(App, { target, props: { state } });
Object.assign(window, { conductor: { state, transport } });
