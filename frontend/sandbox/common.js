/**
 * What both languages' workers have in common: the port to the page, bounded output, and a global scope
 * without what foreign code could try. The wall is the frame's policy and origin; this is a fence before it.
 */
"use strict";

self.Sandbox = (() => {
  const FLUSH_MS = 50;
  const PIECE_AT_MOST = 2_000;
  const AWAY = [
    "fetch", "XMLHttpRequest", "WebSocket", "WebSocketStream", "WebTransport", "EventSource", "importScripts", "Worker", "SharedWorker",
    "BroadcastChannel", "indexedDB", "caches", "Notification", "postMessage", "close", "createImageBitmap", "FontFace", "fonts",
    "showOpenFilePicker", "webkitRequestFileSystem", "webkitRequestFileSystemSync", "webkitResolveLocalFileSystemURL", "cookieStore",
  ];
  // Taken before any foreign code runs: what it changes later does not reach these.
  const { min } = Math;
  const { now } = Date;
  const slice = Function.prototype.call.bind(String.prototype.slice);
  let post;
  let left = 0;
  let waiting = "";
  let dropped = 0;
  let flushedAt = 0;

  function flush() {
    if (waiting) post({ kind: "output", text: waiting });
    waiting = "";
    flushedAt = now();
  }

  return {
    /** Waits for the port; gives where the files are. */
    port: () =>
      new Promise((resolve) => {
        addEventListener(
          "message",
          ({ data, ports: [port] }) => {
            post = port.postMessage.bind(port);
            resolve({ port, files: data.files });
          },
          { once: true },
        );
      }),
    /** Has `run(code, limits)` called with the page's one question, and its answer told. */
    serve(port, run) {
      port.onmessage = async ({ data }) => {
        port.onmessage = null;
        left = data.output_limit;
        let answer;
        try {
          answer = await run(data.code, data.text_limit);
        } catch (problem) {
          answer = { error: `The sandbox's interpreter has ended: ${problem}` };
        }
        flush();
        const cut = (text) => (text === null || text === undefined ? null : slice(`${text}`, 0, data.text_limit));
        post({ kind: "done", result: cut(answer.result), error: cut(answer.error), dropped });
      };
      post({ kind: "ready" });
    },
    failed(problem) {
      post({ kind: "failed", text: slice(`${problem}`, 0, PIECE_AT_MOST) });
    },
    /** Keeps what is printed, up to the limit; sends it on from time to time, so that an end by force loses little. */
    print(text) {
      const kept = slice(text, 0, min(left, text.length));
      left -= kept.length;
      dropped += text.length - kept.length;
      if (!kept) return;
      waiting += kept;
      if (now() - flushedAt > FLUSH_MS) flush();
    },
    /** Takes away what foreign code has no use for. */
    lockDown() {
      for (const name of AWAY) {
        for (let place = self; place; place = Object.getPrototypeOf(place)) {
          try {
            delete place[name];
          } catch {
            // It stays, and the policy refuses what it does.
          }
        }
      }
    },
  };
})();
