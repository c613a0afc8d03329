/**
 * Hidden frame for one run of untrusted code. The frame has no origin, and its policy blocks the
 * network. The code runs in a worker of the frame, which can only send texts through a port.
 * Removing the frame ends the run.
 */
import { localized } from "$language/language.svelte";
import type { CodeTask } from "$lib/client/types";
import { strings } from "./strings";

export type Language = CodeTask["language"];

export interface RunResult {
  output: string;
  result: string | null;
  error: string | null;
  timed_out: boolean;
  duration_ms: number;
}

const LOAD_WITHIN_MS = 60_000;
const ANSWER_WITHIN_MS = 15_000;
const TEXT_LIMIT = 4_000;
const NAMES = localized(() => ({ python: strings.python, javascript: strings.javascript }));

/** Parse a message from the worker, which is not trusted. Unknown fields are ignored. */
function parseMessage(data: unknown): {
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
  /** Resolves when the frame can run code. Rejects with an error message for the user. */
  readonly ready: Promise<void>;
  private readonly element = document.createElement("iframe");
  private port: MessagePort | null = null;
  private onMessage: (message: ReturnType<typeof parseMessage>) => void = () => {};
  private rejectPending: (problem: Error) => void = () => {};
  private timer: ReturnType<typeof setTimeout> | undefined;

  constructor(readonly language: Language) {
    this.ready = new Promise((resolve, reject) => {
      this.rejectPending = reject;
      this.onMessage = ({ kind, text }) => {
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
   * Run code. Can be called once. Resolves when the code ends or at the time limit. Rejects when
   * the frame is closed.
   */
  async run({
    code,
    time_limit_ms,
    output_limit,
  }: Pick<CodeTask, "code" | "time_limit_ms" | "output_limit">): Promise<RunResult> {
    await this.ready;
    const startedAt = performance.now();
    let output = "";
    const buildResult = (how: Partial<RunResult>, dropped = 0): RunResult => ({
      output: dropped
        ? `${output}\n${strings.charactersLeftOut(dropped)}`
        : output.length < output_limit
          ? output
          : `${output}\n${strings.moreLeftOut}`,
      result: null,
      error: null,
      timed_out: false,
      duration_ms: Math.round(performance.now() - startedAt),
      ...how,
    });
    return new Promise((resolve, reject) => {
      this.rejectPending = reject;
      this.timer = setTimeout(() => {
        const error = strings.timeLimit(time_limit_ms / 1_000);
        resolve(buildResult({ error, timed_out: true }));
        this.close();
      }, time_limit_ms);
      this.onMessage = ({ kind, text, result, error, dropped }) => {
        if (kind === "output") output = (output + text).slice(0, output_limit);
        if (kind === "done") resolve(buildResult({ result, error }, dropped));
      };
      this.port?.postMessage({ code, output_limit, text_limit: TEXT_LIMIT });
    });
  }

  /** Remove the frame, which stops its code immediately. */
  close(): void {
    clearTimeout(this.timer);
    this.rejectPending(new Error(strings.runStopped));
    this.port?.close();
    this.element.remove();
  }

  private connect(): void {
    const [answers, errors] = [new MessageChannel(), new MessageChannel()];
    this.port = answers.port1;
    this.port.onmessage = ({ data }) => this.onMessage(parseMessage(data));
    const missing = setTimeout(
      () => this.rejectPending(this.notLoaded(strings.filesMissing)),
      ANSWER_WITHIN_MS,
    );
    errors.port1.onmessage = ({ data }) => {
      clearTimeout(missing);
      if (data)
        this.onMessage({
          ...parseMessage({}),
          kind: "failed",
          text: String(data).slice(0, TEXT_LIMIT),
        });
    };
    // A frame without an origin cannot be named as a target. The content security policy ensures
    // that the frame contains Conductor's own page.
    this.element.contentWindow?.postMessage("begin", "*", [answers.port2, errors.port2]);
  }

  private notLoaded(why: string): Error {
    return new Error(strings.couldNotBeLoaded(NAMES[this.language], why));
  }
}
