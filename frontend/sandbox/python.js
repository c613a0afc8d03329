/** The worker that runs Python, by Pyodide. */
"use strict";

(async () => {
  const { Sandbox } = self;
  delete self.Sandbox; // foreign code shares this scope
  const MEMORY_AT_MOST = 512 * 1024 * 1024;
  const PAGE = 65_536;
  const AWAY = new Set([
    ...[
      "fetch",
      "Request",
      "XMLHttpRequest",
      "WebSocket",
      "WebSocketStream",
      "WebTransport",
      "EventSource",
      "importScripts",
      "Worker",
      "SharedWorker",
    ],
    ...[
      "BroadcastChannel",
      "indexedDB",
      "caches",
      "cookieStore",
      "Notification",
      "postMessage",
      "close",
      "createImageBitmap",
      "OffscreenCanvas",
      "fonts",
      "Blob",
    ],
    ...[
      "webkitRequestFileSystem",
      "webkitRequestFileSystemSync",
      "webkitResolveLocalFileSystemURL",
      "navigator",
      "structuredClone",
    ],
  ]);
  const HARNESS = `
import linecache, sys, traceback
from pyodide.code import eval_code_async

FILE = "<code>"
sys.stdout.reconfigure(line_buffering=True)
sys.stderr.reconfigure(line_buffering=True)
streams = sys.stdout, sys.stderr

def told(error):
    trace = error.__traceback__
    while trace is not None and trace.tb_frame.f_code.co_filename != FILE:
        trace = trace.tb_next
    return "".join(traceback.format_exception(type(error), error, trace))

async def run(code, limit):
    linecache.cache[FILE] = len(code), None, code.splitlines(True), FILE
    result = error = None
    try:
        value = await eval_code_async(code, {"__name__": "__main__"}, filename=FILE)
        result = None if value is None else repr(value)[:limit]
    except SystemExit as end:
        error = None if end.code in (None, 0) else f"SystemExit: {end.code}"
    except BaseException as problem:
        error = told(problem)[-limit:]
    for stream in streams:
        try:
            stream.flush()
        except Exception:
            pass
    return [result, error]

run
`;
  const { port, files } = await Sandbox.port();

  /** Python asks for more memory here; refused, it raises MemoryError. */
  function boundMemory() {
    const { prototype } = WebAssembly.Memory;
    const { grow } = prototype;
    const buffer = Object.getOwnPropertyDescriptor(prototype, "buffer").get;
    const { apply } = Reflect;
    prototype.grow = function (pages) {
      if (apply(buffer, this, []).byteLength + pages * PAGE > MEMORY_AT_MOST)
        throw new RangeError("too much memory");
      return apply(grow, this, [pages]);
    };
  }

  try {
    boundMemory();
    self.importScripts = undefined; // Pyodide tries it out to tell what worker it is in
    const { loadPyodide } = await import(`${files}pyodide.mjs`);
    const decoder = { out: new TextDecoder(), err: new TextDecoder() };
    const { setTimeout, clearTimeout, setInterval, clearInterval, queueMicrotask } = self;
    const timers = { setTimeout, clearTimeout, setInterval, clearInterval, queueMicrotask };
    const python = await loadPyodide({
      indexURL: files,
      jsglobals: { ...timers, Object, Array, Date, Math, JSON, Promise, Map, Set, Error },
      stdin: () => null,
      env: { HOME: "/home/user" },
    });
    const write = (stream) => (bytes) => {
      Sandbox.print(decoder[stream].decode(bytes, { stream: true }));
      return bytes.length;
    };
    python.setStdout({ write: write("out") });
    python.setStderr({ write: write("err") });
    const run = python.runPython(HARNESS, { globals: python.toPy({}) });
    Sandbox.boundBuffers(); // files in memory are such
    Sandbox.lockDown((name) => !AWAY.has(name));
    Sandbox.serve(port, async (code, limit) => {
      const answer = await run(code, limit);
      const [result, error] = answer.toJs();
      return { result, error };
    });
  } catch (problem) {
    Sandbox.failed(problem);
  }
})();
