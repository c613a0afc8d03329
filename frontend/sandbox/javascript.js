/** The worker that runs JavaScript. */
"use strict";

(async () => {
  const { Sandbox } = self;
  delete self.Sandbox; // foreign code shares this scope
  const SHOWN_AT_MOST = 10_000;
  const FILE = "code.js";
  const KEPT = new Set([
    ...[
      "Object",
      "Function",
      "Array",
      "Number",
      "Boolean",
      "String",
      "Symbol",
      "BigInt",
      "Date",
      "RegExp",
      "Promise",
      "Proxy",
      "Reflect",
      "JSON",
      "Math",
      "Intl",
      "Temporal",
    ],
    ...[
      "Map",
      "Set",
      "WeakMap",
      "WeakSet",
      "WeakRef",
      "FinalizationRegistry",
      "Iterator",
      "DisposableStack",
      "AsyncDisposableStack",
    ],
    ...[
      "Error",
      "AggregateError",
      "EvalError",
      "RangeError",
      "ReferenceError",
      "SyntaxError",
      "TypeError",
      "URIError",
      "SuppressedError",
    ],
    ...[
      "ArrayBuffer",
      "DataView",
      "Int8Array",
      "Uint8Array",
      "Uint8ClampedArray",
      "Int16Array",
      "Uint16Array",
      "Int32Array",
      "Uint32Array",
    ],
    ...["Float16Array", "Float32Array", "Float64Array", "BigInt64Array", "BigUint64Array"],
    ...[
      "parseInt",
      "parseFloat",
      "isNaN",
      "isFinite",
      "encodeURI",
      "encodeURIComponent",
      "decodeURI",
      "decodeURIComponent",
      "escape",
      "unescape",
      "atob",
      "btoa",
      "eval",
    ],
    ...[
      "globalThis",
      "self",
      "console",
      "setTimeout",
      "clearTimeout",
      "setInterval",
      "clearInterval",
      "queueMicrotask",
      "TextEncoder",
      "TextDecoder",
      "URLSearchParams",
      "crypto",
      "constructor",
    ],
  ]);
  const AsyncFunction = (async () => {}).constructor;
  const script = self.eval; // called by another name, it evaluates as a script of its own
  const { port } = await Sandbox.port();

  /** Gives a value as a person would write it. */
  function show(value) {
    if (typeof value === "string") return JSON.stringify(value);
    if (typeof value === "bigint") return `${value}n`;
    if (typeof value === "function") return `[function ${value.name || "without a name"}]`;
    if (value instanceof Error) return `${value}`;
    if (value instanceof Map) return `Map ${show([...value])}`;
    if (value instanceof Set) return `Set ${show([...value])}`;
    if (ArrayBuffer.isView(value)) {
      const first = value.length > SHOWN_AT_MOST ? value.slice(0, SHOWN_AT_MOST) : value;
      return `${value.constructor.name} ${show(Array.from(first))}`;
    }
    if (typeof value !== "object" || value === null) return String(value);
    const around = [];
    return JSON.stringify(
      value,
      function (_key, item) {
        while (around.length && around.at(-1) !== this) around.pop();
        if (around.includes(item)) return "[circular]";
        if (typeof item === "object" && item !== null) around.push(item);
        if (item === undefined) return "[undefined]";
        if (item instanceof Map || item instanceof Set || item instanceof Error) return show(item);
        return ["bigint", "function", "symbol"].includes(typeof item) ? show(item) : item;
      },
      2,
    );
  }

  function said(problem) {
    if (!(problem instanceof Error)) return `Uncaught ${show(problem)}`;
    const places = String(problem.stack ?? "")
      .split("\n")
      .filter((line) => line.includes(FILE));
    return [`${problem.name}: ${problem.message}`, ...places.slice(0, 8)].join("\n");
  }

  /**
   * Runs a script; one that waits at its top level, or returns there, runs as a function's body.
   */
  function evaluate(code) {
    const named = `${code}\n//# sourceURL=${FILE}`;
    try {
      new Function(named);
    } catch {
      let body = named;
      try {
        new AsyncFunction(`return (${code}\n)`);
        body = `return (${named}\n)`;
      } catch {
        // More than one expression: what it returns counts.
      }
      return new AsyncFunction(body)();
    }
    try {
      return script(named);
    } catch (problem) {
      if (problem instanceof SyntaxError && /return/.test(problem.message))
        return new Function(named)();
      throw problem;
    }
  }

  for (const name of ["log", "info", "warn", "error", "debug", "table", "dir", "trace"]) {
    console[name] = (...parts) =>
      Sandbox.print(
        `${parts.map((part) => (typeof part === "string" ? part : show(part))).join(" ")}\n`,
      );
  }
  Sandbox.boundBuffers();
  Sandbox.lockDown((name) => KEPT.has(name));
  Sandbox.serve(port, async (code) => {
    try {
      const value = await evaluate(code);
      return { result: value === undefined ? null : show(value) };
    } catch (problem) {
      return { error: said(problem) };
    }
  });
})();
