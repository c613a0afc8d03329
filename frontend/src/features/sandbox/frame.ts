/**
 * A hidden frame for one run of untrusted code. The frame has no origin and its policy allows no
 * network. The code runs in a worker in the frame, whose only connection is a port for plain texts.
 * Removing the frame ends the run.
 */
import type { CodeTask } from "$lib/client/types";
import { strings } from "./strings";

export type Language = CodeTask["language"];

export interface Ended {
  output: string;
  result: string | null;
  error: string | null;
  timed_out: boolean;
  duration_ms: number;
}

const LOAD_WITHIN_MS = 60_000;
const ANSWER_WITHIN_MS = 15_000;
const TEXT_LIMIT = 4_000;
const NAMES = { python: strings.python, javascript: strings.javascript };

/** Validate a message of the worker, which is not trusted: only these fields are read. */
function read(data: unknown): {
  kind: string;
  text: string;
  result: string | null;
  error: string | null;
  dropped: number;
} {
  const from = (typeof data === "object" && data !== null ? data : {}) as Record<string, unknown>;
  const text = (name: string): string | null => {
    const value = from[name];
    return typeof value === "string" ? value.slice(0, TEXT_LIMIT) : null;
  };
  const output = from["text"];
  return {
    kind: text("kind") ?? "",
    text: typeof output === "string" ? output : "",
    result: text("result"),
    error: text("error"),
    dropped: Number.isSafeInteger(from["dropped"]) ? Number(from["dropped"]) : 0,
  };
}

export class Frame {
  /** Resolves when the frame can run code; rejects with an error message for users. */
  readonly ready: Promise<void>;
  private readonly element = document.createElement("iframe");
  private port: MessagePort | null = null;
  private heard: (message: ReturnType<typeof read>) => void = () => {};
  private give_up: (problem: Error) => void = () => {};
  private timer: ReturnType<typeof setTimeout> | undefined;

  constructor(readonly language: Language) {
    this.ready = new Promise((resolve, reject) => {
      this.give_up = reject;
      this.heard = ({ kind, text }) => {
        if (kind === "ready") resolve();
        if (kind === "failed") reject(this.notLoaded(text));
      };
      this.timer = setTimeout(
        () => reject(this.notLoaded(strings.tookLongerThan(LOAD_WITHIN_MS / 1_000))),
        LOAD_WITHIN_MS,
      );
    });
    this.ready.catch(() => {}).finally(() => clearTimeout(this.timer));
    this.element.setAttribute("sandbox", "allow-scripts");
    this.element.setAttribute("aria-hidden", "true");
    this.element.tabIndex = -1;
    this.element.hidden = true;
    this.element.src = `./sandbox/${language}.html`;
    this.element.addEventListener("load", () => this.connect(), { once: true });
    document.body.append(this.element);
  }

  /**
   * Run code. Can be called once. Also resolves at the time limit; rejects when the frame is
   * closed.
   */
  async run({
    code,
    time_limit_ms,
    output_limit,
  }: Pick<CodeTask, "code" | "time_limit_ms" | "output_limit">): Promise<Ended> {
    await this.ready;
    const began = performance.now();
    let output = "";
    const ended = (how: Partial<Ended>, dropped = 0): Ended => ({
      output: dropped
        ? `${output}\n${strings.charactersLeftOut(dropped)}`
        : output.length < output_limit
          ? output
          : `${output}\n${strings.moreLeftOut}`,
      result: null,
      error: null,
      timed_out: false,
      duration_ms: Math.round(performance.now() - began),
      ...how,
    });
    return new Promise((resolve, reject) => {
      this.give_up = reject;
      this.timer = setTimeout(() => {
        const error = strings.timeLimit(time_limit_ms / 1_000);
        resolve(ended({ error, timed_out: true }));
        this.close();
      }, time_limit_ms);
      this.heard = ({ kind, text, result, error, dropped }) => {
        if (kind === "output") output = (output + text).slice(0, output_limit);
        if (kind === "done") resolve(ended({ result, error }, dropped));
      };
      this.port?.postMessage({ code, output_limit, text_limit: TEXT_LIMIT });
    });
  }

  /** Remove the frame, which stops its code at once. */
  close(): void {
    clearTimeout(this.timer);
    this.give_up(new Error(strings.runStopped));
    this.port?.close();
    this.element.remove();
  }

  private connect(): void {
    const [answers, troubles] = [new MessageChannel(), new MessageChannel()];
    this.port = answers.port1;
    this.port.onmessage = ({ data }) => this.heard(read(data));
    const missing = setTimeout(
      () => this.give_up(this.notLoaded(strings.filesMissing)),
      ANSWER_WITHIN_MS,
    );
    troubles.port1.onmessage = ({ data }) => {
      clearTimeout(missing);
      if (data)
        this.heard({ ...read({}), kind: "failed", text: String(data).slice(0, TEXT_LIMIT) });
    };
    // A frame without an origin cannot be named as a target. Only our own page can be in this
    // frame, as the page's policy ensures.
    this.element.contentWindow?.postMessage("begin", "*", [answers.port2, troubles.port2]);
  }

  private notLoaded(why: string): Error {
    return new Error(strings.couldNotBeLoaded(NAMES[this.language], why));
  }
}
