import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { WebSocketTransport } from "$lib/transport/websocket";
import type { Batch, Link } from "$lib/transport/transport";

class Socket {
  static made: Socket[] = [];
  static readonly OPEN = 1;
  readyState = 1;
  sent: string[] = [];
  onmessage: ((event: { data: string }) => void) | null = null;
  onclose: ((event: { code: number }) => void) | null = null;
  constructor(
    readonly url: string,
    readonly protocols: string[],
  ) {
    Socket.made.push(this);
  }
  send(text: string): void {
    this.sent.push(text);
  }
  close(): void {}
  say(message: unknown): void {
    this.onmessage?.({ data: JSON.stringify(message) });
  }
}

function start(): {
  transport: WebSocketTransport;
  links: Link[];
  batches: Batch[];
  token: () => string | null;
} {
  let token: string | null = "once";
  const links: Link[] = [];
  const batches: Batch[] = [];
  const transport = new WebSocketTransport("ws://127.0.0.1:1/ws", {
    get: () => token,
    set: (next) => (token = next),
  });
  transport.open({ onLink: (link) => links.push(link), onBatch: (batch) => batches.push(batch) });
  return { transport, links, batches, token: () => token };
}
const newest = (): Socket => Socket.made.at(-1)!;

beforeEach(() => {
  Socket.made = [];
  vi.stubGlobal("WebSocket", Socket);
  vi.useFakeTimers();
});
afterEach(() => {
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

describe("the WebSocket", () => {
  it("trades its token for the one of the next connection", () => {
    const { links, token } = start();
    expect(newest().protocols).toEqual(["conductor", "once"]);
    newest().say({ hello: { session: "next" } });
    expect(links).toEqual(["connecting", "open"]);
    expect(token()).toBe("next");
    newest().onclose!({ code: 1006 });
    vi.advanceTimersByTime(250);
    expect(Socket.made).toHaveLength(2);
    expect(newest().protocols).toEqual(["conductor", "next"]);
  });

  it("matches answers with calls in any order", async () => {
    const { transport } = start();
    newest().say({ hello: { session: "next" } });
    const first = transport.call("a", {});
    const second = transport.call("b", {});
    newest().say({ id: 2, ok: true, result: "second" });
    newest().say({ id: 1, ok: true, result: "first" });
    expect(await first).toMatchObject({ result: "first" });
    expect(await second).toMatchObject({ result: "second" });
  });

  it("rejects what has no answer when it closes", async () => {
    const { transport } = start();
    newest().say({ hello: { session: "next" } });
    const call = transport.call("a", {});
    newest().onclose!({ code: 1006 });
    await expect(call).rejects.toThrow("connection");
  });

  it("does not try again when it is refused", () => {
    const { links } = start();
    newest().onclose!({ code: 4403 });
    vi.advanceTimersByTime(60_000);
    expect(links).toEqual(["connecting", "refused"]);
    expect(Socket.made).toHaveLength(1);
  });

  it("waits longer after each failure, and tries at once when asked", () => {
    const { transport } = start();
    newest().onclose!({ code: 1006 });
    vi.advanceTimersByTime(250);
    newest().onclose!({ code: 1006 });
    vi.advanceTimersByTime(250);
    expect(Socket.made).toHaveLength(2);
    transport.retry();
    expect(Socket.made).toHaveLength(3);
  });

  it("hands batches on", () => {
    const { batches } = start();
    newest().say({ hello: { session: "next" } });
    newest().say({ batch: [[1, "skipped", { count: 2 }]] });
    expect(batches).toEqual([[[1, "skipped", { count: 2 }]]]);
  });
});
