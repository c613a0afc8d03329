/** Agents on other computers: who asks for access, what is granted, and how it is revoked. */
import { fireEvent, render, screen, waitFor, within } from "@testing-library/svelte";
import userEvent from "@testing-library/user-event";
import { describe, expect, it } from "vitest";
import { allGroups } from "$features/settings/settings";
import { Client } from "$lib/client/client";
import type {
  AuthorizationRequestView,
  RemoteAccessStatus,
  RemoteGrantView,
} from "$lib/client/types";
import { createState, type State } from "$lib/state/state";
import { Refusal, type FakeTransport, type Handlers } from "$lib/transport/fake";
import App from "../src/App.svelte";
import "./load-views";
import { fakeConductor } from "./sample";

const REQUEST: AuthorizationRequestView = {
  request_id: "r1",
  state: "pending",
  client: "Studio agent",
  redirect_host: "127.0.0.1:4711",
  source: "192.168.1.7",
  scopes: ["look", "operate", "propose"],
  granted: [],
  requested_at: "2026-01-01T00:00:00Z",
  expires_at: "2099-01-01T00:00:00Z",
};
const GRANT: RemoteGrantView = {
  grant_id: "g1",
  client: "Studio agent",
  redirect_host: "127.0.0.1:4711",
  scopes: ["look", "propose"],
  created_at: "2026-01-01T00:00:00Z",
  last_used_at: null,
};
const STATUS: RemoteAccessStatus = {
  enabled: true,
  address: "https://studio.local:8767/mcp",
  fingerprint: "AB:CD",
  certificate_file: "/home/me/remote-certificate.pem",
  is_self_made: true,
  problem: null,
};

async function open(
  view: "mappings" | "settings",
  handlers: Handlers = {},
): Promise<[FakeTransport, State]> {
  const transport = fakeConductor(handlers);
  const client = new Client(transport);
  const state = createState(client);
  if (view === "settings") state.ui.navigate(view, { kind: "page", page: "agents" });
  else state.ui.navigate(view);
  client.start();
  render(App, { props: { state } });
  await waitFor(() => expect(state.config.view).not.toBeNull());
  return [transport, state];
}

async function review(transport: FakeTransport): Promise<HTMLElement> {
  transport.push(["authorization_request", REQUEST]);
  await fireEvent.click(await screen.findByRole("button", { name: "Review" }));
  return screen.findByRole("dialog", { name: "Give “Studio agent” access to Conductor?" });
}

async function enter(dialog: HTMLElement, code: string): Promise<HTMLButtonElement> {
  const allow = within(dialog).getByRole<HTMLButtonElement>("button", { name: "Allow access" });
  await userEvent.type(within(dialog).getByRole("textbox", { name: "Code in the browser" }), code);
  return allow;
}

describe("an agent on another computer that asks for access", () => {
  it("does not cover the screen until the user wants to decide", async () => {
    const [transport, state] = await open("mappings");
    transport.push(["authorization_request", REQUEST]);
    await waitFor(() =>
      expect(state.ui.toasts.map((one) => one.text)).toEqual([
        "Studio agent on another computer (192.168.1.7) asks for access",
      ]),
    );
    expect(screen.queryByRole("dialog")).toBeNull();
    transport.push(["authorization_request", { ...REQUEST, state: "expired" }]);
    await waitFor(() =>
      expect(state.ui.toasts.map((one) => one.text)).toEqual([
        "Studio agent did not get access: nobody answered in time",
      ]),
    );
  });
  it("gets what the user leaves checked, with the code of the browser", async () => {
    const [transport] = await open("mappings", {
      "remote.allow": () => ({ ...REQUEST, state: "allowed" }),
    });
    const dialog = await review(transport);
    expect(within(dialog).getByText("192.168.1.7")).toBeTruthy();
    expect(within(dialog).getByText("127.0.0.1:4711")).toBeTruthy();
    const [look, operate] = within(dialog).getAllByRole<HTMLInputElement>("checkbox");
    expect(look!.disabled).toBe(true);
    await userEvent.click(operate!);
    const allow = await enter(dialog, "123 45");
    expect(allow.disabled).toBe(true);
    await enter(dialog, "6");
    await waitFor(() => expect(allow.disabled).toBe(false));
    await fireEvent.click(allow);
    await waitFor(() =>
      expect(transport.called("remote.allow")).toEqual([
        { request_id: "r1", code: "123456", scopes: ["look", "propose"] },
      ]),
    );
    await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
    await screen.findByText("Studio agent has access now");
  });
  it("stays pending after a wrong code, and says so", async () => {
    const [transport] = await open("mappings", {
      "remote.allow": () => {
        throw new Refusal({ code: "not_allowed", message: "this is not the code" });
      },
    });
    const dialog = await review(transport);
    const allow = await enter(dialog, "000000");
    await waitFor(() => expect(allow.disabled).toBe(false));
    await fireEvent.click(allow);
    await within(dialog).findByText("This is not the code");
  });
  it("can be denied without a code, and the dialog can be closed without deciding", async () => {
    const [transport] = await open("mappings", {
      "remote.deny": () => ({ ...REQUEST, state: "denied" }),
    });
    await review(transport);
    await userEvent.keyboard("{Escape}");
    await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
    expect(transport.called("remote.deny")).toEqual([]);
    await fireEvent.click(await screen.findByRole("button", { name: "Review" }));
    await fireEvent.click(await screen.findByRole("button", { name: "Deny" }));
    await waitFor(() => expect(transport.called("remote.deny")).toEqual([{ request_id: "r1" }]));
  });
  it("is offered by a page that was opened later", async () => {
    await open("mappings", { "remote.requests": () => ({ requests: [REQUEST] }) });
    await screen.findByRole("button", { name: "Review" });
  });
});

describe("the settings of agents on other computers", () => {
  it("are a group of their own", () => {
    const groups = allGroups().map(({ id }) => id);
    expect(groups.indexOf("remote")).toBe(groups.indexOf("mcp") + 1);
    const remote = allGroups().find(({ id }) => id === "remote")!;
    expect(remote.settings.map(({ label }) => label).slice(0, 2)).toEqual([
      "Serve agents on other computers",
      "Address for agents",
    ]);
    const paths = allGroups().flatMap(({ settings, rare }) =>
      [...settings, ...rare].map(({ path }) => path.join(".")),
    );
    expect(paths).toContain("llm.mcp.remote_certificate_key");
    expect(paths).toHaveLength(new Set(paths).size);
  });
  it("show the address, the fingerprint and who has access, and revoke it", async () => {
    let grants = [GRANT];
    const [transport] = await open("settings", {
      "remote.status": () => STATUS,
      "remote.grants": () => ({ grants }),
      "remote.revoke": () => ({ grants: (grants = []) }),
    });
    await screen.findByText("https://studio.local:8767/mcp");
    screen.getByText("AB:CD");
    screen.getByText("/home/me/remote-certificate.pem");
    screen.getByText("Read, propose changes");
    await fireEvent.click(
      screen.getByRole("button", { name: "Revoke the access of Studio agent" }),
    );
    const confirm = await screen.findByRole("dialog");
    await fireEvent.click(within(confirm).getByRole("button", { name: "Revoke" }));
    await waitFor(() => expect(transport.called("remote.revoke")).toEqual([{ grant_id: "g1" }]));
    await screen.findByText("No agent on another computer has access.");
  });
  it("say why agents cannot be served", async () => {
    await open("settings", {
      "remote.status": () => ({
        ...STATUS,
        address: null,
        problem: "set llm.mcp.remote_tls to true",
      }),
    });
    await screen.findByText(/set llm.mcp.remote_tls to true/);
  });
});

describe("the settings of agents over A2A", () => {
  const CARD = "http://127.0.0.1:8766/.well-known/agent-card.json";
  it("show the card only while it is served, and say why it is not", async () => {
    const [transport] = await open("settings", {
      "a2a.status": () => ({
        enabled: true,
        card_address: null,
        problem: "set llm.a2a.http_port to a free one",
      }),
    });
    await screen.findByText(/set llm.a2a.http_port to a free one/);
    expect(screen.queryByText(CARD)).toBeNull();
    transport.push(["a2a", { enabled: true, card_address: CARD, problem: null }]);
    await screen.findByText(CARD);
    expect(screen.queryByText(/set llm.a2a.http_port to a free one/)).toBeNull();
  });
});
