import { afterEach, expect, it } from "vitest";
import { chooseTransport } from "$lib/transport/choose";
import { BridgeTransport } from "$lib/transport/pywebview";

afterEach(() => {
  delete window.pywebview;
});

it("calls the one method with the key, without eval, once pywebview is there", async () => {
  const transport = new BridgeTransport("key");
  const links: string[] = [];
  const batches: unknown[] = [];
  transport.open({ onLink: (link) => links.push(link), onBatch: (batch) => batches.push(batch) });
  const call = transport.call("engine.pause", { paused: true });
  let asked: unknown[] = [];
  window.pywebview = {
    _returnValuesCallbacks: {},
    _jsApiCallback(name, args, id) {
      asked = [name, ...args];
      this._returnValuesCallbacks[name]![id]!({ value: JSON.stringify({ ok: true, result: {} }) });
    },
  };
  expect(window.__conductor_push).toBeUndefined(); // no event before the page can answer it
  window.dispatchEvent(new Event("pywebviewready"));
  expect(await call).toEqual({ ok: true, result: {} });
  expect(asked).toEqual(["rpc", "key", "engine.pause", { paused: true }]);
  window.__conductor_push!([[1, "skipped", { count: 1 }]]);
  expect(batches).toHaveLength(1);
  expect(links).toEqual(["connecting", "open"]);
});

it("tells of a call that the bridge could not pass on", async () => {
  window.pywebview = {
    _returnValuesCallbacks: {},
    _jsApiCallback(name, _args, id) {
      this._returnValuesCallbacks[name]![id]!({
        value: JSON.stringify({ message: "Traceback" }),
        isError: true,
      });
    },
  };
  const answer = await new BridgeTransport("key").call("engine.panic", {});
  expect(answer).toMatchObject({ ok: false, error: { code: "internal" } });
  expect(JSON.stringify(answer)).not.toContain("Traceback");
});

it("keeps the window's key when the page is reloaded, and takes it from the address", async () => {
  const keys: unknown[] = [];
  window.pywebview = {
    _returnValuesCallbacks: {},
    _jsApiCallback(name, [key], id) {
      keys.push(key);
      this._returnValuesCallbacks[name]![id]!({ value: JSON.stringify({ ok: true, result: {} }) });
    },
  };
  history.replaceState(null, "", "/?wire=bridge#k=secret");
  await chooseTransport().call("app.hello", {});
  expect(location.hash).toBe("");
  await chooseTransport().call("app.hello", {});
  expect(keys).toEqual(["secret", "secret"]);
  history.replaceState(null, "", "/");
  sessionStorage.clear();
});
