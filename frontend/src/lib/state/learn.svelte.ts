/** The other clients that capture input with MIDI Learn: agents, the assistant and terminals. */
import { clientName } from "../agent-clients";
import { ConnectionLost } from "../transport/transport";
import { errorMessage, type Client } from "../client/client";
import type { MidiLearnSession, Requester } from "../client/types";
import { isTypedInChat } from "../requesters";
import type { UiState } from "./ui.svelte";
import { strings } from "../strings";

/** The callers whose sessions the user sees anyway, in the view that started them. */
const PAGES = ["window", "page"];

export class LearnState {
  /** The sessions that are capturing now, except those of pages. */
  readonly others: readonly MidiLearnSession[];
  private sessions = $state.raw<readonly MidiLearnSession[]>([]);
  private changeCount = 0;

  constructor(
    private readonly client: Client,
    private readonly ui: UiState,
  ) {
    this.others = $derived(this.sessions.filter((one) => !PAGES.includes(one.caller)));
    client.onResync(() => void this.load());
    client.on("midi_learn", ({ sessions }) => {
      this.changeCount++;
      this.sessions = sessions;
    });
  }

  async load(): Promise<void> {
    const changeCount = this.changeCount;
    try {
      const { sessions } = await this.client.call("learn.sessions");
      // An event that arrived meanwhile is newer than the answer.
      if (changeCount === this.changeCount) this.sessions = sessions;
    } catch (error) {
      if (!(error instanceof ConnectionLost)) this.ui.toast(errorMessage(error), { tone: "error" });
    }
  }

  async end({ session_id }: MidiLearnSession): Promise<void> {
    try {
      await this.client.call("learn.end", { session_id });
    } catch (error) {
      this.ui.toast(errorMessage(error), { tone: "error" });
    }
  }
}

type RequestingClient = Partial<Pick<Requester, "client" | "executable">> & { caller: string };

/** Return the name of the client that made a request, such as “The assistant”. */
export function nameOfClient({ caller, client, executable }: RequestingClient): string {
  if (isTypedInChat({ caller, client })) return strings.yourCommand;
  if (caller === "chat") return strings.theAssistant;
  if (caller === "cli") return strings.theCommandLine;
  return clientName(client ?? "") || executable?.split(/[\\/]/).at(-1) || strings.anAgent;
}
