/** The code of views that is loaded when it is needed. */
import { fireEvent, render, screen } from "@testing-library/svelte";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Component } from "svelte";
import { Client } from "$lib/client/client";
import { LazyCode } from "$lib/lazy-code.svelte";
import { createState, loadPrefs, type State } from "$lib/state/state";
import { prefetchWhenIdle } from "$shell/prefetch";
import { views, type View } from "$views";
import App from "../src/App.svelte";
import "./load-views";
import { fakeConductor } from "./sample";

type Module = { default: Component };

const plans = views.find((view) => view.id === "plans") as View;
const loaded = plans.code;
let arrive: () => void;
let fail: () => void;

/** Let the code of the Plans view arrive or fail when the test says so. */
function holdPlans(): void {
  plans.code = new LazyCode(
    () =>
      new Promise<Module>((resolve, reject) => {
        arrive = () => resolve(loaded.module!);
        fail = () => reject(new TypeError("Failed to fetch dynamically imported module"));
      }),
  );
}

async function open(): Promise<State> {
  const client = new Client(fakeConductor());
  const state = createState(client);
  client.start();
  render(App, { props: { state } });
  await vi.waitFor(() => expect(state.config.view).not.toBeNull());
  return state;
}

const region = (name: string) => screen.queryByRole("region", { name });
const loading = () => screen.queryByText("Loading Plans…");

beforeEach(holdPlans);
afterEach(() => {
  plans.code = loaded;
  vi.useRealTimers();
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

describe("a view whose code is not there yet", () => {
  it("leaves the previous view on the screen for a moment, then shows that it loads", async () => {
    const state = await open();
    vi.useFakeTimers();
    state.ui.navigate("plans");
    await vi.advanceTimersByTimeAsync(149);
    expect(region("Mappings")).toBeTruthy();
    expect(loading()).toBeNull();
    await vi.advanceTimersByTimeAsync(1);
    expect(region("Mappings")).toBeNull();
    expect(loading()).toBeTruthy();
    arrive();
    await vi.advanceTimersByTimeAsync(0);
    expect(region("Plans")).toBeTruthy();
    expect(loading()).toBeNull();
  });

  it("is not shown when the user has gone on meanwhile", async () => {
    const state = await open();
    vi.useFakeTimers();
    state.ui.navigate("plans");
    state.ui.navigate("monitor");
    arrive();
    await vi.advanceTimersByTimeAsync(500);
    expect(region("Monitor")).toBeTruthy();
    expect(region("Plans")).toBeNull();
  });
});

describe("a view whose code cannot be loaded", () => {
  beforeEach(() => {
    vi.spyOn(console, "error").mockImplementation(() => {});
  });

  async function openBroken(): Promise<HTMLElement> {
    const state = await open();
    state.ui.navigate("plans");
    await vi.waitFor(() => expect(fail).toBeTruthy());
    fail();
    expect(await screen.findByText("Plans could not be loaded")).toBeTruthy();
    return screen.getByRole("button", { name: "Reload" });
  }

  it("reloads the page if Conductor serves other files now", async () => {
    const button = await openBroken();
    vi.stubGlobal("fetch", async () => new Response("", { status: 200 }));
    const reload = vi.spyOn(location, "reload").mockImplementation(() => {});
    await fireEvent.click(button);
    await vi.waitFor(() => expect(reload).toHaveBeenCalledOnce());
  });

  it("keeps the page if Conductor does not respond, and says so", async () => {
    const button = await openBroken();
    vi.stubGlobal("fetch", () => Promise.reject(new TypeError("Failed to fetch")));
    const reload = vi.spyOn(location, "reload").mockImplementation(() => {});
    await fireEvent.click(button);
    expect(await screen.findByText(/^Conductor does not respond/)).toBeTruthy();
    expect(reload).not.toHaveBeenCalled();
  });
});

describe("at the start", () => {
  it("no view is shown before it is known which one was used last", async () => {
    const client = new Client(
      fakeConductor({ "window.prefs": () => ({ prefs: { last_view: "monitor" } }) }),
    );
    const state = createState(client);
    state.ui.starting = true;
    client.start();
    render(App, { props: { state } });
    await vi.waitFor(() => expect(state.config.view).not.toBeNull());
    expect(region("Mappings")).toBeNull();
    await loadPrefs(state);
    await vi.waitFor(() => expect(region("Monitor")).toBeTruthy());
  });

  it("a view that the user chooses is shown at once", async () => {
    const state = await open();
    state.ui.starting = true;
    await fireEvent.click(screen.getByRole("button", { name: "Modes" }));
    await vi.waitFor(() => expect(region("Modes")).toBeTruthy());
  });
});

describe("prefetching", () => {
  it("loads everything one after the other, until one fails", async () => {
    vi.useFakeTimers();
    const order: string[] = [];
    const code = (name: string, run = async () => ({})) =>
      new LazyCode(() => {
        order.push(name);
        return run();
      });
    const broken = code("c", () => Promise.reject(new Error("gone")));
    prefetchWhenIdle([code("a"), code("b"), broken, code("d")]);
    expect(order).toEqual([]);
    await vi.runAllTimersAsync();
    expect(order).toEqual(["a", "b", "c"]);
    expect(broken.failed).toBe(false);
  });
});
