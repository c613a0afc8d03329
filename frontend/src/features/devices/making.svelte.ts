/**
 * A device profile that is recorded by playing: the current question, the controls that were
 * played, and the preview.
 */
import { errorMessage } from "$lib/client/client";
import type { DeviceProfile, PlayedStep } from "$lib/client/types";
import type { State } from "$lib/state/state";
import { strings } from "./strings";

export interface RecordingQuestion {
  role: NonNullable<PlayedStep["role"]> | null;
  title: string;
  text: string;
}
export const QUESTIONS: readonly RecordingQuestion[] = [
  {
    role: "pad",
    title: strings.padsAndKeys,
    text: strings.playPads,
  },
  {
    role: "knob",
    title: strings.knobs,
    text: strings.playKnobs,
  },
  { role: "fader", title: strings.faders, text: strings.playFaders },
  {
    role: "button",
    title: strings.buttons,
    text: strings.playButtons,
  },
];
export const NEXT_BANK_QUESTION: RecordingQuestion = {
  role: null,
  title: strings.nextBank,
  text: strings.playBank,
};
const POLL_MS = 700;

export class ProfileRecording {
  /** Whether events are being recorded. */
  listening = $state(false);
  step = $state(0);
  private bank = 1;
  private onBank = $state(false);
  name = $state("");
  events = $state(0);
  error = $state<string | null>(null);
  profile = $state.raw<DeviceProfile | null>(null);
  saving = $state(false);
  /** The number of columns that the user chose for each group, by group. */
  rows = $state.raw<Record<string, number>>({});
  readonly ask: RecordingQuestion | null;
  private toml = "";
  private steps: PlayedStep[] = [];
  private timer: ReturnType<typeof setTimeout> | undefined;
  private over = false;

  constructor(
    private readonly app: State,
    private readonly device: string,
    name: string,
  ) {
    this.name = name;
    this.ask = $derived(this.onBank ? NEXT_BANK_QUESTION : (QUESTIONS[this.step] ?? null));
  }

  async start(): Promise<void> {
    try {
      // Mappings are paused as long as this polls: what is played now is meant for the profile
      // alone.
      const { at } = await this.app.client.call("devices.play_start");
      this.steps = [{ at, role: QUESTIONS[0]!.role, bank: 1 }];
      this.listening = true;
      this.again();
    } catch (failure) {
      this.error = errorMessage(failure);
    }
  }

  /** Go to the next kind of control; after the last one, to the preview. */
  async next(): Promise<void> {
    if (this.onBank) this.onBank = false;
    else this.step++;
    await this.mark();
  }
  /** Ask for the same controls in the next bank. */
  async another(): Promise<void> {
    this.bank++;
    this.onBank = true;
    await this.mark();
  }
  private async mark(): Promise<void> {
    try {
      const { at } = await this.app.client.call("devices.play_mark");
      this.steps = [
        ...this.steps,
        { at, role: this.ask?.role ?? null, bank: this.onBank ? this.bank : 1 },
      ];
      await this.look();
    } catch (failure) {
      this.error = errorMessage(failure);
    }
  }

  widen(group: string, columns: number): void {
    this.rows = { ...this.rows, [group]: columns };
    void this.look();
  }

  async look(): Promise<void> {
    try {
      const made = await this.app.client.call("devices.play_made", {
        name: this.name,
        device_id: this.device,
        steps: this.steps,
        rows: this.rows,
      });
      if (this.over) return;
      this.events = made.events;
      this.profile = made.profile;
      this.toml = made.toml;
      this.error = null;
    } catch (failure) {
      this.error = errorMessage(failure);
    }
  }

  async save(): Promise<boolean> {
    this.saving = true;
    await this.look();
    const { client, profiles, ui } = this.app;
    try {
      const kept = await client.call("devices.keep_profile", { text: this.toml });
      profiles.reload();
      // Indexing takes a while and delays quitting, so the user starts it.
      const run = (): void =>
        void client
          .call("knowledge.update_index")
          .catch((failure: unknown) => ui.toast(errorMessage(failure), { tone: "error" }));
      ui.toast(strings.profileSaved(kept.title), {
        action: { label: strings.addToKnowledgeSearch, run },
      });
      return true;
    } catch (failure) {
      this.error = errorMessage(failure);
      return false;
    } finally {
      this.saving = false;
    }
  }

  end(): void {
    if (this.over) return;
    this.over = true;
    clearTimeout(this.timer);
    void this.app.client.call("devices.play_end").catch(() => {});
  }

  private again(): void {
    this.timer = setTimeout(() => {
      void this.look().then(() => {
        if (!this.over) this.again();
      });
    }, POLL_MS);
  }
}
