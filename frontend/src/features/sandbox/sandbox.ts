/** The code sandbox: runs code from the backend, each run in its own frame. */
import type { Client } from "$lib/client/client";
import type { CodeTask } from "$lib/client/types";
import { Frame, type RunResult } from "./frame";
import { strings } from "./strings";

const NOTICE_AFTER_MS = 1_000;
const WARM_FOR_MS = 300_000;

/**
 * Start running code tasks. Returns a function that stops the sandbox.
 * @param notify shows a message and returns a function that removes the message
 */
export function startSandbox(client: Client, notify: (words: string) => () => void): () => void {
  const running = new Map<string, Frame>();
  const stopped = new Set<string>();
  let warm: Frame | null = null;
  let warmTimer: ReturnType<typeof setTimeout> | undefined;

  function closeWarmFrame(): void {
    clearTimeout(warmTimer);
    warm?.close();
    warm = null;
  }

  /**
   * Load Python in a frame for the next run, because loading takes seconds. An unused frame is
   * closed after five minutes.
   */
  function warmUp(): void {
    closeWarmFrame();
    warm = new Frame("python");
    warm.ready.catch(closeWarmFrame);
    warmTimer = setTimeout(closeWarmFrame, WARM_FOR_MS);
  }

  function takeFrame(language: CodeTask["language"]): Frame {
    if (language !== "python" || !warm) return new Frame(language);
    const frame = warm;
    warm = null;
    return frame;
  }

  async function load(frame: Frame): Promise<void> {
    let dismissNotice = (): void => {};
    const timer = setTimeout(
      () =>
        (dismissNotice = notify(
          frame.language === "python" ? strings.loadingPython : strings.loadingJavaScript,
        )),
      NOTICE_AFTER_MS,
    );
    try {
      await frame.ready;
    } finally {
      clearTimeout(timer);
      dismissNotice();
    }
  }

  async function run(task: CodeTask): Promise<void> {
    const frame = takeFrame(task.language);
    running.set(task.run_id, frame);
    let result: RunResult = {
      output: "",
      result: null,
      error: null,
      timed_out: false,
      duration_ms: 0,
    };
    try {
      await load(frame);
      result = await frame.run(task);
    } catch (problem) {
      result = { ...result, error: problem instanceof Error ? problem.message : String(problem) };
    } finally {
      running.delete(task.run_id);
      frame.close();
    }
    if (task.language === "python") warmUp();
    if (!stopped.delete(task.run_id))
      await client.call("code.done", { run_id: task.run_id, ...result }).catch(() => {});
  }

  function stop(run_id: string): void {
    const frame = running.get(run_id);
    if (!frame) return;
    stopped.add(run_id);
    frame.close();
  }

  const announcePage = (): void => void client.call("code.ready").catch(() => {});
  if (client.link === "open") announcePage();
  const unsubscribes = [
    client.on("code", ({ run_id, state }) => {
      if (state === "stopped") return stop(run_id);
      if (running.has(run_id)) return;
      client.call("code.begin", { run_id }).then(
        ({ task }) => task && run(task),
        () => {},
      );
    }),
    client.onLink((link) => {
      if (link === "open") announcePage();
      else for (const run_id of [...running.keys()]) stop(run_id);
    }),
  ];
  return () => {
    unsubscribes.forEach((unsubscribe) => unsubscribe());
    [...running.keys()].forEach(stop);
    closeWarmFrame();
  };
}
