/** Player of the virtual controller: sends presses, releases and positions to the engine. */
import { errorMessage, type Client } from "$lib/client/client";

type PlayMessage = { do: "press" | "release" | "turn"; control: string; value?: number };

const SETTLED_MS = 400;

export class Player {
  /** The controls that the page holds down. */
  held = $state.raw<ReadonlySet<string>>(new Set());
  /** The positions that the user set, by control, until the engine confirms them. */
  positions = $state.raw<ReadonlyMap<string, number>>(new Map());
  private readonly queue: PlayMessage[] = [];
  private readonly settleTimers = new Map<string, ReturnType<typeof setTimeout>>();
  private busy = false;

  constructor(
    private readonly client: Client,
    private readonly onError: (text: string) => void,
  ) {}

  press(control: string, value: number): void {
    if (this.held.has(control)) return;
    this.held = new Set([...this.held, control]);
    this.send({ do: "press", control, value: Math.max(1, Math.min(127, Math.round(value))) });
  }

  release(control: string): void {
    if (!this.held.has(control)) return;
    this.held = new Set([...this.held].filter((one) => one !== control));
    this.send({ do: "release", control });
  }

  releaseAll = (): void => this.held.forEach((control) => this.release(control));

  turn(control: string, value: number): void {
    const to = Math.max(0, Math.min(127, Math.round(value)));
    if (this.positions.get(control) === to) return;
    this.positions = new Map([...this.positions, [control, to]]);
    clearTimeout(this.settleTimers.get(control));
    this.settleTimers.set(
      control,
      setTimeout(() => this.dropPosition(control), SETTLED_MS),
    );
    // Of the queued positions of a knob, only the newest matters.
    const last = this.queue.at(-1);
    if (last?.do === "turn" && last.control === control) last.value = to;
    else this.send({ do: "turn", control, value: to });
  }

  /** Drop the local position of a control, so that the value from the engine is shown again. */
  private dropPosition(control: string): void {
    this.positions = new Map([...this.positions].filter(([one]) => one !== control));
  }

  private send(play: PlayMessage): void {
    this.queue.push(play);
    if (!this.busy) void this.sendQueue();
  }

  /** Send the queued messages one by one, so that no release overtakes its press. */
  private async sendQueue(): Promise<void> {
    this.busy = true;
    for (let play = this.queue.shift(); play; play = this.queue.shift()) {
      try {
        await this.client.call("virtual.play", play);
      } catch (error) {
        this.onError(errorMessage(error));
      }
    }
    this.busy = false;
  }
}

/** Return the velocity of a pad press: 20 at the bottom edge of the pad, 127 at the top edge. */
export function pressVelocity(y: number, top: number, height: number): number {
  const part = 1 - Math.max(0, Math.min(1, (y - top) / Math.max(1, height)));
  return Math.round(20 + part * 107);
}
