/** The capabilities of the assistant, for Settings and the chat. */
import { ConnectionLost } from "../transport/transport";
import { errorMessage, type Client } from "../client/client";
import { titleWithoutServer, toolTitle, wireName } from "../skills";
import type { Abilities, AbilityView } from "../client/types";

export class CapabilitiesState {
  view = $state.raw<Abilities | null>(null);
  error = $state<string | null>(null);
  /** The capabilities by tool. Each is listed under the tool's id and its name for models. */
  readonly byTool: ReadonlyMap<string, AbilityView>;
  private loadRequested = false;

  constructor(private readonly client: Client) {
    this.byTool = $derived(
      new Map(
        this.view?.skills.flatMap(
          (one) =>
            [
              [wireName(one.tool), one],
              [one.tool, one],
            ] as const,
        ),
      ),
    );
    client.onResync(() => {
      if (this.loadRequested) void this.load();
    });
  }

  async load(): Promise<void> {
    this.loadRequested = true;
    try {
      this.put(await this.client.call("abilities.list"));
    } catch (error) {
      if (!(error instanceof ConnectionLost)) this.error = errorMessage(error);
    }
  }

  /** Return the title of a tool without the name of its server. */
  titleOf(tool: string): string {
    const view = this.byTool.get(tool);
    const title = view?.origin ? view.tool_title : toolTitle(view?.tool ?? tool);
    return titleWithoutServer(title, tool);
  }

  put(view: Abilities): void {
    this.view = view;
    this.error = null;
  }
}
