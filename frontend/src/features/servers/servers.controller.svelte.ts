/** The view model of the user's MCP servers in Settings. */
import { errorMessage } from "$lib/client/client";
import type { ImportSource, ServerToolView, ServerView, SignInRequest } from "$lib/client/types";
import type { State } from "$lib/state/state";
import type { Entry, Named } from "./entry";
import { strings } from "./strings";

type Step = "start" | "stop" | "restart" | "test" | "sign_in" | "sign_out";
/** The outcome of the last operation on a server. */
interface Result {
  ok: boolean;
  words: string;
}

/** A sign-in that waits for the user. */
export interface SigningIn extends SignInRequest {
  name: string;
}

export class ServersController {
  /** The name of the server whose card is open. */
  open = $state<string | null>(null);
  /**
   * The server that the consent dialog shows, as it was when the dialog opened: consent is for what
   * the user saw, even if the server changes meanwhile.
   */
  consenting = $state.raw<ServerView | null>(null);
  /** The sign-in that the dialog shows. */
  signing = $state.raw<SigningIn | null>(null);
  /** The running operation of each server, by server name. */
  busy = $state.raw<Readonly<Record<string, Step>>>({});
  /** The outcome of the last operation on each server, by server name. */
  results = $state.raw<Readonly<Record<string, Result>>>({});
  /** The log lines that were loaded, by server name. */
  logs = $state.raw<Readonly<Record<string, readonly string[]>>>({});

  constructor(private readonly state: State) {}

  load = (): Promise<void> => this.state.servers.load();

  step = (step: "start" | "stop" | "restart" | "test", name: string): Promise<void> =>
    this.runStep(step, name, async () => {
      const { client } = this.state;
      if (step !== "test") return this.put(await client.call(`servers.${step}`, { name }));
      const tested = await client.call("servers.test", { name });
      this.results = {
        ...this.results,
        [name]: { ok: tested.ok, words: `${tested.words} ${Math.round(tested.took_ms)} ms` },
      };
      this.put(tested.server);
    });

  /** Start a sign-in and show its address; a sign-in that is already waiting is shown again. */
  signIn = (name: string): Promise<void> =>
    this.runStep("sign_in", name, async () => {
      this.signing = { name, ...(await this.state.client.call("servers.sign_in", { name })) };
    });

  openAddress = (url: string): Promise<unknown> =>
    this.state.client.call("shell.open_url", { url });

  async cancelSignIn(name: string): Promise<void> {
    this.signing = null;
    await this.changed(() => this.state.client.call("servers.cancel_sign_in", { name }));
  }

  signOut = (name: string): Promise<void> =>
    this.runStep("sign_out", name, async () =>
      this.put(await this.state.client.call("servers.sign_out", { name })),
    );

  /** Enable or disable a server. One without consent opens the consent dialog first. */
  enable = (name: string, enabled: boolean): Promise<void> =>
    this.runStep(enabled ? "start" : "stop", name, async () =>
      this.put(await this.state.client.call("servers.enable", { name, enabled }), true),
    );

  /** Consent to a server as shown. Returns the error text, or null on success. */
  async consent({ name, digest }: ServerView): Promise<string | null> {
    try {
      this.put(await this.state.client.call("servers.consent", { name, digest }));
    } catch (error) {
      void this.load();
      return errorMessage(error);
    }
    this.consenting = null;
    return null;
  }

  /** Add servers; a single one opens the consent dialog. Returns the error text, or null. */
  async add(all: readonly Named[]): Promise<string | null> {
    try {
      for (const { name, entry } of all) {
        const server = await this.state.client.call("servers.add", { name, entry });
        this.put(server, all.length === 1);
        this.open = server.name;
      }
      return null;
    } catch (error) {
      void this.load();
      return errorMessage(error);
    }
  }

  async update(name: string, entry: Entry): Promise<string | null> {
    try {
      this.put(await this.state.client.call("servers.update", { name, entry }), true);
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

  importable = async (): Promise<readonly ImportSource[]> =>
    (await this.state.client.call("servers.importable")).sources;

  /** Import servers from another program. Returns notes about them. @throws ApiError */
  async importFrom(client: string, names: string[], replace: boolean): Promise<readonly string[]> {
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
    this.changed(() => this.state.client.call("servers.tool", { server, tool, enabled }));
  /** Accept a changed tool exactly as shown. */
  accept = (server: string, { name, digest }: ServerToolView): Promise<boolean> =>
    this.changed(
      () => this.state.client.call("servers.accept_change", { server, tool: name, digest }),
      strings.accepted(name),
    );

  /** Turn on the capability to call tools of MCP servers. */
  enableTools = (): Promise<boolean> =>
    this.state.app.attempt(async () =>
      this.state.capabilities.put(
        await this.state.client.call("abilities.set_tier", { tier: "integration", enabled: true }),
      ),
    );

  async log(name: string): Promise<void> {
    await this.state.app.attempt(async () => {
      const { lines } = await this.state.client.call("servers.log", { name });
      this.logs = { ...this.logs, [name]: lines };
    });
  }

  private async runStep(step: Step, name: string, run: () => Promise<void>): Promise<void> {
    this.busy = { ...this.busy, [name]: step };
    this.results = without(this.results, name);
    try {
      await run();
    } catch (error) {
      this.results = { ...this.results, [name]: { ok: false, words: errorMessage(error) } };
      this.open = name;
      void this.load();
    }
    this.busy = without(this.busy, name);
  }

  private changed(run: () => Promise<ServerView>, done?: string): Promise<boolean> {
    return this.state.app.attempt(async () => this.put(await run()), done);
  }

  private put(server: ServerView, ask = false): void {
    this.state.servers.put(server.name, server);
    if (ask && server.state === "needs_consent") this.consenting = server;
  }
}

function without<T>(all: Readonly<Record<string, T>>, name: string): Record<string, T> {
  const { [name]: _, ...others } = all;
  return others;
}
