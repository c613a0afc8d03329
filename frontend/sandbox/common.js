/**
 * What both languages' workers have in common: the port to the page, bounded output and memory, and
 * a global scope without what foreign code could try. The wall is the frame's policy and origin;
 * this is a fence before it.
 */
"use strict";

self.Sandbox = (() => {
  const FLUSH_MS = 50;
  const PIECE_AT_MOST = 2_000;
  const BUFFERS_AT_MOST = 1024 * 1024 * 1024;
  const BUFFERS = [
    "ArrayBuffer",
    "Int8Array",
    "Uint8Array",
    "Uint8ClampedArray",
    "Int16Array",
    "Uint16Array",
    "Int32Array",
    "Uint32Array",
    "Float16Array",
    "Float32Array",
    "Float64Array",
    "BigInt64Array",
    "BigUint64Array",
  ];
  // Taken before any foreign code runs: what it changes later does not reach these.
  const { min, max } = Math;
  const { now } = Date;
  const race = Promise.race.bind(Promise);
  const listen = self.addEventListener.bind(self);
  const { construct, getPrototypeOf, ownKeys, deleteProperty, getOwnPropertyDescriptor } = Reflect;
  const RawBuffer = ArrayBuffer;
  const slice = Function.prototype.call.bind(String.prototype.slice);
  let post;
  let left = 0;
  let waiting = "";
  let dropped = 0;
  let flushedAt = 0;
  let buffersLeft = BUFFERS_AT_MOST;

  function flush() {
    if (waiting) post({ kind: "output", text: waiting });
    waiting = "";
    flushedAt = now();
  }

  /** Says how many elements a constructor is asked for that it has to make room for. */
  function asked(first, options) {
    if (typeof first !== "object" || first === null)
      return max(Number(first) || 0, Number(options?.maxByteLength) || 0);
    return first instanceof RawBuffer ? 0 : Number(first.length) || 0;
  }

  function bounded(Kind) {
    const size = Kind.BYTES_PER_ELEMENT ?? 1;
    const kind = new Proxy(Kind, {
      construct(target, given, by) {
        const args = target === RawBuffer ? [Number(given[0]), given[1]] : given;
        buffersLeft -= asked(args[0], args[1]) * size;
        if (buffersLeft < 0)
          throw new RangeError("out of memory: the sandbox allows no more buffers");
        return construct(target, args, by === kind ? target : by);
      },
    });
    Kind.prototype.constructor = kind;
    return kind;
  }

  return {
    /** Waits for the port; gives where the files are. */
    async port() {
      const { data, ports } = await self.begun;
      const [port] = ports;
      delete self.begun;
      post = port.postMessage.bind(port);
      return { port, files: data.files };
    },
    /** Has `run(code, limit)` called with the page's one question, and its answer told. */
    serve(port, run) {
      port.onmessage = async ({ data }) => {
        port.onmessage = null;
        left = data.output_limit;
        const broken = new Promise((resolve) => {
          const end = (problem) => resolve({ error: `Uncaught ${problem}` });
          listen("error", (event) => (event.preventDefault(), end(event.error ?? event.message)));
          listen("unhandledrejection", (event) => (event.preventDefault(), end(event.reason)));
        });
        const running = (async () => {
          await null; // the race is on before foreign code can change what it is made of
          return run(data.code, data.text_limit);
        })();
        const answer = await race([running, broken]);
        flush();
        const cut = (text) => (typeof text === "string" ? slice(text, 0, data.text_limit) : null);
        post({ kind: "done", result: cut(answer.result), error: cut(answer.error), dropped });
      };
      post({ kind: "ready" });
    },
    failed(problem) {
      post({ kind: "failed", text: slice(`${problem}`, 0, PIECE_AT_MOST) });
    },
    /**
     * Keeps what is printed, up to the limit; sends it on from time to time, so that an end by
     * force loses little.
     */
    print(text) {
      const kept = slice(text, 0, min(left, text.length));
      left -= kept.length;
      dropped += text.length - kept.length;
      if (!kept) return;
      waiting += kept;
      if (!left || now() - flushedAt > FLUSH_MS) flush();
    },
    /**
     * Counts what buffers take; what is freed again is not given back. Of the heap, the browser has
     * its own limit.
     */
    boundBuffers() {
      for (const name of BUFFERS) if (self[name]) self[name] = bounded(self[name]);
      for (const name of ["transfer", "transferToFixedLength"]) delete RawBuffer.prototype[name];
    },
    /** Takes away every global name that is not wanted. */
    lockDown(isWanted) {
      for (let place = self; place && place !== Object.prototype; place = getPrototypeOf(place)) {
        for (const name of ownKeys(place)) {
          if (
            typeof name === "string" &&
            !isWanted(name) &&
            getOwnPropertyDescriptor(place, name)?.configurable
          )
            deleteProperty(place, name);
        }
      }
    },
  };
})();
