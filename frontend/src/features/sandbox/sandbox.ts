/** Runs the code that the backend sends to this page, each run in its own frame. */
import type { Client } from "$lib/client/client";
import type { CodeTask } from "$lib/client/types";
import { Frame, type Ended } from "./frame";
import { strings } from "./strings";

const NOTICE_AFTER_MS = 1_000;
const WARM_FOR_MS = 300_000;

/**
 * Start handling code tasks. Returns a function that stops it. `tell` shows a message and returns a
 * function that removes it.
 */
export function startSandbox(client: Client, tell: (words: string) => () => void): () => void {
  const running = new Map<string, Frame>();
  const stopped = new Set<string>();
  let warm: Frame | null = null;
  let cooling: ReturnType<typeof setTimeout> | undefined;

  function cool(): void {
    clearTimeout(cooling);
    warm?.close();
    warm = null;
  }

  /**
   * Load Python in a frame for the next run, as that takes seconds. The frame is closed when it is
   * not used for a while.
   */
  function warmUp(): void {
    cool();
    warm = new Frame("python");
    warm.ready.catch(cool);
    cooling = setTimeout(cool, WARM_FOR_MS);
  }

  function take(language: CodeTask["language"]): Frame {
    if (language !== "python" || !warm) return new Frame(language);
    const frame = warm;
    warm = null;
    return frame;
  }

  async function load(frame: Frame): Promise<void> {
    let untell = (): void => {};
    const timer = setTimeout(
      () =>
        (untell = tell(
          frame.language === "python" ? strings.loadingPython : strings.loadingJavaScript,
        )),
      NOTICE_AFTER_MS,
    );
    try {
      await frame.ready;
    } finally {
      clearTimeout(timer);
      untell();
    }
  }

  async function run(task: CodeTask): Promise<void> {
    const frame = take(task.language);
    running.set(task.run_id, frame);
    let how: Ended = { output: "", result: null, error: null, timed_out: false, duration_ms: 0 };
    try {
      await load(frame);
      how = await frame.run(task);
    } catch (problem) {
      how = { ...how, error: problem instanceof Error ? problem.message : String(problem) };
    } finally {
      running.delete(task.run_id);
      frame.close();
    }
    if (task.language === "python") warmUp();
    if (!stopped.delete(task.run_id))
      await client.call("code.done", { run_id: task.run_id, ...how }).catch(() => {});
  }

  function stop(run_id: string): void {
    const frame = running.get(run_id);
    if (!frame) return;
    stopped.add(run_id);
    frame.close();
  }

  const isNew = (): void => void client.call("code.ready").catch(() => {});
  if (client.link === "open") isNew();
  const ends = [
    client.on("code", ({ run_id, state }) => {
      if (state === "stopped") return stop(run_id);
      if (running.has(run_id)) return;
      client.call("code.begin", { run_id }).then(
        ({ task }) => task && run(task),
        () => {},
      );
    }),
    client.onLink((link) => {
      if (link === "open") isNew();
      else for (const run_id of [...running.keys()]) stop(run_id);
    }),
  ];
  return () => {
    ends.forEach((end) => end());
    [...running.keys()].forEach(stop);
    cool();
  };
}
