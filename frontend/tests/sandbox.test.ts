import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { toToolResult } from "$features/apps/result";
import { startSandbox } from "$features/sandbox/sandbox";
import { Client } from "$lib/client/client";
import { FakeTransport } from "$lib/transport/fake";

const task = (run_id: string) => ({
  run_id,
  language: "javascript",
  code: "for (;;);",
  time_limit_ms: 10_000,
  output_limit: 20_000,
});
const frames = (): NodeListOf<HTMLIFrameElement> => document.querySelectorAll("iframe");
const settled = (): Promise<void> => vi.waitFor(() => expect(frames().length).toBeGreaterThan(0));

let wire: FakeTransport;
let end: () => void;

beforeEach(() => {
  wire = new FakeTransport({
    "code.ready": () => ({}),
    "code.begin": ({ run_id }: { run_id: string }) => ({
      task: run_id === "taken" ? null : task(run_id),
    }),
    "code.done": () => ({ taken: true }),
  });
  const client = new Client(wire);
  end = startSandbox(client, () => () => {});
  client.start();
});
afterEach(() => {
  end();
});

it("says that it is new, and loads nothing before there is code", () => {
  expect(wire.called("code.ready")).toHaveLength(1);
  expect(frames()).toHaveLength(0);
});

it("runs code in a frame without an origin, and a stop removes the frame silently", async () => {
  wire.push(["code", { run_id: "one", state: "wanted" }]);
  await settled();
  const frame = frames()[0]!;
  expect(frame.getAttribute("sandbox")).toBe("allow-scripts");
  expect(frame.src).toContain("sandbox/javascript.html");
  wire.push(["code", { run_id: "one", state: "stopped" }]);
  expect(frames()).toHaveLength(0);
  await Promise.resolve();
  expect(wire.called("code.done")).toEqual([]);
});

it("ignores a job that another page took, and ends its own on disconnection", async () => {
  wire.push(["code", { run_id: "taken", state: "wanted" }]);
  await vi.waitFor(() => expect(wire.called("code.begin")).toHaveLength(1));
  expect(frames()).toHaveLength(0);
  wire.push(["code", { run_id: "two", state: "wanted" }]);
  await settled();
  wire.setLink("lost");
  expect(frames()).toHaveLength(0);
});

it("gives a server's page the result without the marks that a model sees", () => {
  const marked =
    '<tool_result name="MCP server clock" ' +
    'untrusted="true">\n{"server":"clock","tool":"show","text":"noon"}\n</tool_result>';
  expect(toToolResult({ ok: true, content: marked })).toEqual({
    content: [{ type: "text", text: "noon" }],
  });
  expect(toToolResult({ ok: false, content: "no" })).toEqual({
    content: [{ type: "text", text: "no" }],
    isError: true,
  });
  expect(toToolResult({ ok: true, content: "no JSON" })).toBeNull();
});
