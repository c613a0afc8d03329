/** What the assistant can do, as Settings and the chat show it. */
import { ConnectionLost } from "../transport/transport";
import { words, type Client } from "../client/client";
import { toolWords, wireName } from "../skills";
import type { Abilities, AbilityView } from "../client/types";

export class CapabilitiesState {
  view = $state.raw<Abilities | null>(null);
  error = $state<string | null>(null);
  /** By either of the names that a tool goes by. */
  readonly byTool: ReadonlyMap<string, AbilityView>;
  private wanted = false;

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
      if (this.wanted) void this.load();
    });
  }

  async load(): Promise<void> {
    this.wanted = true;
    try {
      this.put(await this.client.call("abilities.list"));
    } catch (error) {
      if (!(error instanceof ConnectionLost)) this.error = words(error);
    }
  }

  /** Gives what a tool is called: by its skill, where the skill is this tool and nothing else. */
  nameOf(tool: string): string | null {
    const found = this.byTool.get(tool);
    if (!found) return null;
    const alone = this.view?.skills.filter((one) => one.skill_id === found.skill_id).length === 1;
    return alone ? found.title : toolWords(found.tool);
  }

  put(view: Abilities): void {
    this.view = view;
    this.error = null;
  }
}
