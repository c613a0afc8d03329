/** The MCP servers of others as Settings shows and changes them. */
import { words } from "$lib/client/client";
import type { ImportSource, ServerToolView, ServerView, SignInAsked } from "$lib/client/types";
import type { State } from "$lib/state/state";
import type { Entry, Named } from "./entry";

type Step = "start" | "stop" | "restart" | "test" | "sign_in" | "sign_out";
interface Result {
  ok: boolean;
  words: string;
}

/** A sign-in that waits for the user. */
export interface SigningIn extends SignInAsked {
  name: string;
}

export class ServersController {
  /** Whose card is open. */
  open = $state<string | null>(null);
  /**
   * What a dialog asks a yes for, as it was when it came up: the yes is for that, whatever comes in
   * meanwhile.
   */
  consenting = $state.raw<ServerView | null>(null);
  /** Where the user is asked to sign in. */
  signing = $state.raw<SigningIn | null>(null);
  /** What is being done with a server, by name. */
  busy = $state.raw<Readonly<Record<string, Step>>>({});
  results = $state.raw<Readonly<Record<string, Result>>>({});
  logs = $state.raw<Readonly<Record<string, readonly string[]>>>({});

  constructor(private readonly state: State) {}

  load = (): Promise<void> => this.state.servers.load();

  step = (step: "start" | "stop" | "restart" | "test", name: string): Promise<void> =>
    this.during(step, name, async () => {
      const { client } = this.state;
      if (step !== "test") return this.put(await client.call(`servers.${step}`, { name }));
      const tested = await client.call("servers.test", { name });
      this.results = {
        ...this.results,
        [name]: { ok: tested.ok, words: `${tested.words} ${Math.round(tested.took_ms)} ms` },
      };
      this.put(tested.server);
    });

  /** Begins to sign in, and shows where that leads; one that waits already is shown again. */
  signIn = (name: string): Promise<void> =>
    this.during("sign_in", name, async () => {
      this.signing = { name, ...(await this.state.client.call("servers.sign_in", { name })) };
    });

  openAddress = (url: string): Promise<unknown> =>
    this.state.client.call("shell.open_url", { url });

  async cancelSignIn(name: string): Promise<void> {
    this.signing = null;
    await this.changed(() => this.state.client.call("servers.cancel_sign_in", { name }));
  }

  signOut = (name: string): Promise<void> =>
    this.during("sign_out", name, async () =>
      this.put(await this.state.client.call("servers.sign_out", { name })),
    );

  /** Lets a server run from now on, or not; what the user has not agreed to is shown first. */
  enable = (name: string, enabled: boolean): Promise<void> =>
    this.during(enabled ? "start" : "stop", name, async () =>
      this.put(await this.state.client.call("servers.enable", { name, enabled }), true),
    );

  /** Gives what is wrong, or null when it went well. */
  async consent({ name, digest }: ServerView): Promise<string | null> {
    try {
      this.put(await this.state.client.call("servers.consent", { name, digest }));
    } catch (error) {
      void this.load();
      return words(error);
    }
    this.consenting = null;
    return null;
  }

  /** Adds servers and asks for the yes that the first needs; gives what is wrong, or null. */
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
      return words(error);
    }
  }

  async update(name: string, entry: Entry): Promise<string | null> {
    try {
      this.put(await this.state.client.call("servers.update", { name, entry }), true);
      return null;
    } catch (error) {
      return words(error);
    }
  }

  async remove(name: string): Promise<void> {
    await this.state.app.attempt(
      () => this.state.client.call("servers.remove", { name }),
      `${name} is removed`,
    );
    await this.load();
  }

  importable = async (): Promise<readonly ImportSource[]> =>
    (await this.state.client.call("servers.importable")).sources;

  /** Imports servers from another program; gives what there is to know of them. @throws ApiError */
  async take(client: string, names: string[], replace: boolean): Promise<readonly string[]> {
    const { names: taken, notes } = await this.state.client.call("servers.import", {
      client,
      names,
      replace,
    });
    await this.load();
    this.state.ui.toast(
      taken.length === 1 ? `${taken[0]} is imported` : `${taken.length} servers are imported`,
      { tone: "success" },
    );
    return notes;
  }

  setTool = (server: string, tool: string, enabled: boolean): Promise<boolean> =>
    this.changed(() => this.state.client.call("servers.tool", { server, tool, enabled }));
  /** Agrees to a tool exactly as it was shown. */
  accept = (server: string, { name, digest }: ServerToolView): Promise<boolean> =>
    this.changed(
      () => this.state.client.call("servers.accept_change", { server, tool: name, digest }),
      `${name} may be used as it is now`,
    );

  /** Lets the assistant call tools of servers at all. */
  switchOn = (): Promise<boolean> =>
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

  private async during(step: Step, name: string, run: () => Promise<void>): Promise<void> {
    this.busy = { ...this.busy, [name]: step };
    this.results = without(this.results, name);
    try {
      await run();
    } catch (error) {
      this.results = { ...this.results, [name]: { ok: false, words: words(error) } };
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
