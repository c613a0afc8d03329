/** Recording of a device profile: the user plays each control, and Conductor infers the profile. */
import { localized } from "$language/language.svelte";
import { errorMessage } from "$lib/client/client";
import type { DeviceProfile, PlayedCaptureStep } from "$lib/client/types";
import type { State } from "$lib/state/state";
import { strings } from "./strings";

export interface RecordingQuestion {
  role: NonNullable<PlayedCaptureStep["role"]> | null;
  title: string;
  text: string;
}
export const QUESTIONS: readonly RecordingQuestion[] = localized(() => [
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
]);
export const NEXT_BANK_QUESTION: RecordingQuestion = localized(() => ({
  role: null,
  title: strings.nextBank,
  text: strings.playBank,
}));
const POLL_MS = 700;

function askToTurn(control: string | undefined): RecordingQuestion | null {
  if (!control) return null;
  return { role: null, title: control, text: strings.turnToTheRight(control) };
}

export class ProfileRecording {
  /** Whether events are being recorded. */
  listening = $state(false);
  step = $state(0);
  private bank = 1;
  private isNextBank = $state(false);
  /**
   * The controls that the user is still to turn to the right, because their coding does not tell
   * which way they turn.
   */
  private turns = $state.raw<readonly string[]>([]);
  private uncertainTurns: readonly string[] = [];
  name = $state("");
  events = $state(0);
  error = $state<string | null>(null);
  profile = $state.raw<DeviceProfile | null>(null);
  saving = $state(false);
  /** The number of columns that the user chose, by group. */
  columns = $state.raw<Record<string, number>>({});
  readonly question: RecordingQuestion | null;
  private toml = "";
  private steps: PlayedCaptureStep[] = [];
  private timer: ReturnType<typeof setTimeout> | undefined;
  private ended = false;

  constructor(
    private readonly app: State,
    private readonly device: string,
    name: string,
  ) {
    this.name = name;
    this.question = $derived(
      this.isNextBank ? NEXT_BANK_QUESTION : (QUESTIONS[this.step] ?? askToTurn(this.turns[0])),
    );
  }

  async start(): Promise<void> {
    try {
      // Mappings are paused while this object polls, so that playing triggers no action.
      const { at } = await this.app.client.call("devices.play_start");
      this.steps = [{ at, role: QUESTIONS[0]!.role, bank: 1 }];
      this.listening = true;
      this.schedulePoll();
    } catch (failure) {
      this.error = errorMessage(failure);
    }
  }

  /** Go to the next kind of control, to a knob whose direction is uncertain, or to the preview. */
  async next(): Promise<void> {
    if (this.isNextBank) this.isNextBank = false;
    else if (this.step < QUESTIONS.length) {
      await this.refresh();
      this.step++;
      if (this.step === QUESTIONS.length) this.turns = this.uncertainTurns;
    } else this.turns = this.turns.slice(1);
    await this.markStep();
  }
  /** Ask the user to play the same controls in the next bank. */
  async recordNextBank(): Promise<void> {
    this.bank++;
    this.isNextBank = true;
    await this.markStep();
  }
  private async markStep(): Promise<void> {
    try {
      const { at } = await this.app.client.call("devices.play_mark");
      this.steps = [
        ...this.steps,
        {
          at,
          role: this.question?.role ?? null,
          bank: this.isNextBank ? this.bank : 1,
          turn_right: !this.isNextBank && this.step === QUESTIONS.length && this.turns.length > 0,
        },
      ];
      await this.refresh();
    } catch (failure) {
      this.error = errorMessage(failure);
    }
  }

  setColumns(group: string, columns: number): void {
    this.columns = { ...this.columns, [group]: columns };
    void this.refresh();
  }

  async refresh(): Promise<void> {
    try {
      const made = await this.app.client.call("devices.play_made", {
        name: this.name,
        device_id: this.device,
        steps: this.steps,
        rows: this.columns,
      });
      if (this.ended) return;
      this.events = made.events;
      this.profile = made.profile;
      this.toml = made.toml;
      this.uncertainTurns = made.uncertain_turns ?? [];
      this.error = null;
    } catch (failure) {
      this.error = errorMessage(failure);
    }
  }

  async save(): Promise<boolean> {
    this.saving = true;
    await this.refresh();
    const { client, profiles, ui } = this.app;
    try {
      const saved = await client.call("devices.keep_profile", { text: this.toml });
      profiles.reload();
      // Indexing takes a while and delays quitting, so only the user starts indexing.
      const run = (): void =>
        void client
          .call("knowledge.update_index")
          .catch((failure: unknown) => ui.toast(errorMessage(failure), { tone: "error" }));
      ui.toast(strings.profileSaved(saved.title), {
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
    if (this.ended) return;
    this.ended = true;
    clearTimeout(this.timer);
    void this.app.client.call("devices.play_end").catch(() => {});
  }

  private schedulePoll(): void {
    this.timer = setTimeout(() => {
      void this.refresh().then(() => {
        if (!this.ended) this.schedulePoll();
      });
    }, POLL_MS);
  }
}
