/** The MCP servers that the user added. */
import { ConnectionLost } from "../transport/transport";
import { errorMessage, type Client } from "../client/client";
import type { ServersView, ServerView } from "../client/types";

export class ServersState {
  /** The servers and their settings; null until they are loaded. */
  view = $state.raw<ServersView | null>(null);
  error = $state<string | null>(null);
  private loadRequested = false;
  private changeCount = 0;

  constructor(private readonly client: Client) {
    client.onResync(() => {
      if (this.loadRequested) void this.load();
    });
    client.on("servers", ({ name, server }) => {
      this.changeCount++;
      this.put(name, server);
    });
  }

  /** The servers in the order of `mcp.json`. */
  get servers(): readonly ServerView[] {
    return this.view?.servers ?? [];
  }

  async load(): Promise<void> {
    this.loadRequested = true;
    const changeCount = this.changeCount;
    try {
      const view = await this.client.call("servers.list");
      // An event arrived meanwhile, so the answer may be older than the state.
      if (changeCount !== this.changeCount) return void this.load();
      this.view = view;
      this.error = null;
    } catch (error) {
      if (!(error instanceof ConnectionLost)) this.error = errorMessage(error);
    }
  }

  put(name: string, server: ServerView | null): void {
    if (!this.view) return;
    const { servers } = this.view;
    const known = servers.some((one) => one.name === name);
    const after = !server
      ? servers.filter((one) => one.name !== name)
      : known
        ? servers.map((one) => (one.name === name ? server : one))
        : [...servers, server];
    this.view = { ...this.view, servers: after };
  }
}
