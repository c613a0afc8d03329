import { describe, expect, it, vi } from "vitest";
import { ApiError, Client } from "$lib/client/client";
import { FakeTransport, Refusal } from "$lib/transport/fake";
import { ConnectionLost } from "$lib/transport/transport";

function connected(transport = new FakeTransport()): [Client, FakeTransport] {
  const client = new Client(transport);
  client.start();
  return [client, transport];
}

describe("a call", () => {
  it("gives the result", async () => {
    const [client, transport] = connected(
      new FakeTransport({ "learn.start": () => ({ timeout_ms: 5 }) }),
    );
    expect(await client.call("learn.start")).toEqual({ timeout_ms: 5 });
    expect(transport.calls).toEqual([{ method: "learn.start", params: {} }]);
  });

  it("throws what Conductor refuses, with its code and the wrong fields", async () => {
    const refuse = () => {
      throw new Refusal({
        code: "params_invalid",
        message: "no",
        data: { fields: [{ path: "changes.0.mapping.trigger.note", message: "too high" }] },
      });
    };
    const [client] = connected(new FakeTransport({ "config.preview": refuse }));
    const error = await client
      .call("config.preview", { changes: [] })
      .catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(ApiError);
    expect((error as ApiError).code).toBe("params_invalid");
    expect((error as ApiError).fields).toEqual({ "changes.0.mapping.trigger.note": "too high" });
  });

  it("rejects when the connection is lost", async () => {
    const [client, transport] = connected();
    transport.setLink("lost");
    await expect(client.call("engine.panic")).rejects.toBeInstanceOf(ConnectionLost);
  });
});

describe("events", () => {
  it("reach their handlers until these are taken away", () => {
    const [client, transport] = connected();
    const seen: string[] = [];
    const off = client.on("config", ({ hash }) => seen.push(hash));
    transport.push(["config", { hash: "a" }], ["skipped", { count: 1 }]);
    off();
    transport.push(["config", { hash: "b" }]);
    expect(seen).toEqual(["a"]);
  });

  it("are requested again when some were lost", () => {
    const [client, transport] = connected();
    const resync = vi.fn();
    client.onResync(resync);
    transport.push(["skipped", { count: 1 }]);
    expect(resync).not.toHaveBeenCalled();
    transport.lose();
    transport.push(["skipped", { count: 1 }], ["skipped", { count: 1 }]);
    expect(resync).toHaveBeenCalledTimes(1);
    transport.push(["skipped", { count: 1 }]);
    expect(resync).toHaveBeenCalledTimes(1);
  });

  it("count from one again on a new connection", () => {
    const [client, transport] = connected();
    const resync = vi.fn();
    transport.push(["skipped", { count: 1 }]);
    client.onResync(resync);
    transport.setLink("lost");
    transport.setLink("open");
    transport.push(["skipped", { count: 1 }]);
    expect(resync).toHaveBeenCalledTimes(1);
  });
});
