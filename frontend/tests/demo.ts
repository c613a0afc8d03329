/** The page on a Conductor of functions: `npm run dev`, then open /demo.html. Never built. */
import "@fontsource-variable/inter";
import "$ui/tokens.css";
import "$ui/base.css";
import "$ui/popover.css";
import { mount } from "svelte";
import { Client } from "$lib/client/client";
import { createState } from "$lib/state/state";
import App from "../src/App.svelte";
import { STATUS, fakeConductor, trace } from "./sample";

const transport = fakeConductor();
const client = new Client(transport);
const state = createState(client);
const query = new URLSearchParams(location.search);
state.ui.theme = query.get("theme") === "light" ? "light" : "dark";
state.ui.view = query.get("view") ?? "";
client.start();
transport.push(["status", STATUS], ["front", { executable: "obs", bundle_id: "", title: "OBS 31" }]);
let sequence = 0;
setInterval(() => transport.push(["trace", trace(++sequence)]), 700);

mount(App, { target: document.getElementById("app")!, props: { state } });
Object.assign(window, { conductor: { state, transport } });
