/** Plays the virtual controller from the page, and releases pressed controls at the end. */
import { errorMessage, type Client } from "$lib/client/client";

type Play = { do: "press" | "release" | "turn"; control: string; value?: number };

const SETTLED_MS = 400;

export class Player {
  /** The controls that this page holds down. */
  held = $state.raw<ReadonlySet<string>>(new Set());
  /** The positions that the user set here, until the engine confirms them. */
  moved = $state.raw<ReadonlyMap<string, number>>(new Map());
  private readonly queue: Play[] = [];
  private readonly settling = new Map<string, ReturnType<typeof setTimeout>>();
  private busy = false;

  constructor(
    private readonly client: Client,
    private readonly complain: (text: string) => void,
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
    if (this.moved.get(control) === to) return;
    this.moved = new Map([...this.moved, [control, to]]);
    clearTimeout(this.settling.get(control));
    this.settling.set(
      control,
      setTimeout(() => this.settle(control), SETTLED_MS),
    );
    // Only the newest waiting position of a knob matters.
    const last = this.queue.at(-1);
    if (last?.do === "turn" && last.control === control) last.value = to;
    else this.send({ do: "turn", control, value: to });
  }

  /** Drop the local position of a control, so that the engine's value is shown again. */
  private settle(control: string): void {
    this.moved = new Map([...this.moved].filter(([one]) => one !== control));
  }

  private send(play: Play): void {
    this.queue.push(play);
    if (!this.busy) void this.drain();
  }

  /** Send one message after the other: a release must not overtake its press. */
  private async drain(): Promise<void> {
    this.busy = true;
    for (let play = this.queue.shift(); play; play = this.queue.shift()) {
      try {
        await this.client.call("virtual.play", play);
      } catch (error) {
        this.complain(errorMessage(error));
      }
    }
    this.busy = false;
  }
}

/**
 * Return the velocity of a pad press from where it is touched: soft at the bottom, hard at the top.
 */
export function pressVelocity(y: number, top: number, height: number): number {
  const part = 1 - Math.max(0, Math.min(1, (y - top) / Math.max(1, height)));
  return Math.round(20 + part * 107);
}
