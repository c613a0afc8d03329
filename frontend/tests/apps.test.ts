/** The card of an MCP server's page: the data that it keeps, and for how long. */
import { render } from "@testing-library/svelte";
import { afterEach, expect, it, vi } from "vitest";
import { Client } from "$lib/client/client";
import { createState } from "$lib/state/state";
import AppsHost from "./AppsHost.svelte";
import { fakeConductor } from "./sample";

const PAGE = { path: "/mcp-app/1", server: "home", title: "Lamps", wanted: [] };
const added = vi.spyOn(window, "addEventListener");
const removed = vi.spyOn(window, "removeEventListener");
const listening = (): number => {
  const taken = new Set(
    removed.mock.calls.filter(([kind]) => kind === "message").map(([, listener]) => listener),
  );
  return added.mock.calls.filter(([kind, listener]) => kind === "message" && !taken.has(listener))
    .length;
};
const calls: ((page: unknown) => void)[] = [];

function card(): { unmount: () => void; container: HTMLElement } {
  const client = new Client(
    fakeConductor({ "apps.open": () => new Promise((resolve) => calls.push(resolve)) }),
  );
  const app = createState(client);
  client.start();
  return render(AppsHost, { app, tool: "mcp:home:light", args: {}, result: undefined });
}
const answered = async (): Promise<void> => {
  await vi.waitFor(() => expect(calls).toHaveLength(1));
  calls.pop()!(PAGE);
};

afterEach(() => vi.clearAllMocks());

it("listens to its page while it is there", async () => {
  const { container, unmount } = card();
  await answered();
  await vi.waitFor(() => expect(container.querySelector("iframe")).not.toBeNull());
  expect(listening()).toBe(1);
  unmount();
  expect(listening()).toBe(0);
});

it("never listens when it is closed before its page has come", async () => {
  const { unmount } = card();
  await vi.waitFor(() => expect(calls).toHaveLength(1));
  unmount();
  await answered();
  await new Promise((resolve) => setTimeout(resolve));
  expect(listening()).toBe(0);
});
