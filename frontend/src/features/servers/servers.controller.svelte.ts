/** View model of the user's MCP servers in Settings. */
import { errorMessage } from "$lib/client/client";
import type {
  ImportSource,
  KnownServer,
  ServerToolView,
  ServerView,
  SignInRequest,
} from "$lib/client/types";
import type { State } from "$lib/state/state";
import type { ServerEntry, NamedEntry } from "./entry";
import { strings } from "./strings";

type Operation = "start" | "stop" | "restart" | "test" | "sign_in" | "sign_out";
/** The outcome of the last operation on a server. */
interface OperationResult {
  ok: boolean;
  words: string;
}

/** A sign-in that is waiting for the user. */
export interface PendingSignIn extends SignInRequest {
  name: string;
}

export class ServersController {
  /** The name of the server whose card is open; null: all cards are closed. */
  open = $state<string | null>(null);
  /**
   * The server in the consent dialog, as it was when the dialog opened. The user consents to what
   * the dialog shows, even if the server changes meanwhile.
   */
  consentServer = $state.raw<ServerView | null>(null);
  /** The sign-in in the dialog; null: the dialog is closed. */
  pendingSignIn = $state.raw<PendingSignIn | null>(null);
  /** The running operation of each server, by server name. */
  busy = $state.raw<Readonly<Record<string, Operation>>>({});
  /** The outcome of the last operation on each server, by server name. */
  results = $state.raw<Readonly<Record<string, OperationResult>>>({});
  /** The loaded log lines, by server name. */
  logs = $state.raw<Readonly<Record<string, readonly string[]>>>({});

  constructor(private readonly state: State) {}

  load = (): Promise<void> => this.state.servers.load();

  operate = (operation: "start" | "stop" | "restart" | "test", name: string): Promise<void> =>
    this.runOperation(operation, name, async () => {
      const { client } = this.state;
      if (operation !== "test")
        return this.storeServer(await client.call(`servers.${operation}`, { name }));
      const tested = await client.call("servers.test", { name });
      this.results = {
        ...this.results,
        [name]: { ok: tested.ok, words: `${tested.words} ${Math.round(tested.took_ms)} ms` },
      };
      this.storeServer(tested.server);
    });

  /** Start a sign-in and show its address, or show the address of a waiting sign-in again. */
  signIn = (name: string): Promise<void> =>
    this.runOperation("sign_in", name, async () => {
      this.pendingSignIn = { name, ...(await this.state.client.call("servers.sign_in", { name })) };
    });

  openAddress = (url: string): Promise<unknown> =>
    this.state.client.call("shell.open_url", { url });

  async cancelSignIn(name: string): Promise<void> {
    this.pendingSignIn = null;
    await this.runChange(() => this.state.client.call("servers.cancel_sign_in", { name }));
  }

  signOut = (name: string): Promise<void> =>
    this.runOperation("sign_out", name, async () =>
      this.storeServer(await this.state.client.call("servers.sign_out", { name })),
    );

  /** Enable or disable a server. Without consent, the consent dialog is opened first. */
  enable = (name: string, enabled: boolean): Promise<void> =>
    this.runOperation(enabled ? "start" : "stop", name, async () =>
      this.storeServer(await this.state.client.call("servers.enable", { name, enabled }), true),
    );

  /** Consent to a server as displayed. Returns the error text, or null on success. */
  async consent({ name, digest }: ServerView): Promise<string | null> {
    try {
      this.storeServer(await this.state.client.call("servers.consent", { name, digest }));
    } catch (error) {
      void this.load();
      return errorMessage(error);
    }
    this.consentServer = null;
    return null;
  }

  /** Add servers; a single server opens the consent dialog. Returns the error text, or null. */
  async add(all: readonly NamedEntry[]): Promise<string | null> {
    try {
      for (const { name, entry } of all) {
        const server = await this.state.client.call("servers.add", { name, entry });
        this.storeServer(server, all.length === 1);
        this.open = server.name;
      }
      return null;
    } catch (error) {
      void this.load();
      return errorMessage(error);
    }
  }

  loadKnownServers = async (): Promise<readonly KnownServer[]> =>
    (await this.state.client.call("servers.known", {})).servers;

  /** Add a server of the list, and open the consent dialog. Returns the error text, or null. */
  async addKnown(
    id: string,
    name: string,
    values: Readonly<Record<string, string>>,
  ): Promise<string | null> {
    try {
      const server = await this.state.client.call("servers.add_known", { id, name, values });
      this.storeServer(server, true);
      this.open = server.name;
      return null;
    } catch (error) {
      void this.load();
      return errorMessage(error);
    }
  }

  async update(name: string, entry: ServerEntry): Promise<string | null> {
    try {
      this.storeServer(await this.state.client.call("servers.update", { name, entry }), true);
      return null;
    } catch (error) {
      return errorMessage(error);
    }
  }

  async remove(name: string): Promise<void> {
    await this.state.app.attempt(
      () => this.state.client.call("servers.remove", { name }),
      strings.removed(name),
    );
    await this.load();
  }

  loadImportSources = async (): Promise<readonly ImportSource[]> =>
    (await this.state.client.call("servers.importable")).sources;

  /** Import servers from another program. Returns notes about the servers. @throws ApiError */
  async importServers(
    client: string,
    names: string[],
    replace: boolean,
  ): Promise<readonly string[]> {
    const { names: taken, notes } = await this.state.client.call("servers.import", {
      client,
      names,
      replace,
    });
    await this.load();
    this.state.ui.toast(
      taken.length === 1 ? strings.imported(taken[0] ?? "") : strings.importedCount(taken.length),
      { tone: "success" },
    );
    return notes;
  }

  setTool = (server: string, tool: string, enabled: boolean): Promise<boolean> =>
    this.runChange(() => this.state.client.call("servers.tool", { server, tool, enabled }));
  /** Accept a new or changed tool as displayed. */
  accept = (server: string, { name, digest }: ServerToolView): Promise<boolean> =>
    this.runChange(
      () => this.state.client.call("servers.accept_change", { server, tool: name, digest }),
      strings.accepted(name),
    );

  /** Allow the assistant to call tools of MCP servers. */
  enableTools = (): Promise<boolean> =>
    this.state.app.attempt(async () =>
      this.state.capabilities.put(
        await this.state.client.call("abilities.set_tier", { tier: "integration", enabled: true }),
      ),
    );

  async loadLog(name: string): Promise<void> {
    await this.state.app.attempt(async () => {
      const { lines } = await this.state.client.call("servers.log", { name });
      this.logs = { ...this.logs, [name]: lines };
    });
  }

  private async runOperation(
    operation: Operation,
    name: string,
    run: () => Promise<void>,
  ): Promise<void> {
    this.busy = { ...this.busy, [name]: operation };
    this.results = omitKey(this.results, name);
    try {
      await run();
    } catch (error) {
      this.results = { ...this.results, [name]: { ok: false, words: errorMessage(error) } };
      this.open = name;
      void this.load();
    }
    this.busy = omitKey(this.busy, name);
  }

  private runChange(run: () => Promise<ServerView>, done?: string): Promise<boolean> {
    return this.state.app.attempt(async () => this.storeServer(await run()), done);
  }

  private storeServer(server: ServerView, ask = false): void {
    this.state.servers.put(server.name, server);
    if (ask && server.state === "needs_consent") this.consentServer = server;
  }
}

function omitKey<T>(all: Readonly<Record<string, T>>, name: string): Record<string, T> {
  const { [name]: _, ...others } = all;
  return others;
}
