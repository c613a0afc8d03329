/** Chooses the transport by the page's address, after removing the access token from it. */
import { BridgeTransport } from "./pywebview";
import type { Transport } from "./transport";
import { WebSocketTransport } from "./websocket";

const SESSION_KEY = "conductor.session";
const BRIDGE_KEY = "conductor.bridge";

export function chooseTransport(): Transport {
  const secrets = new URLSearchParams(location.hash.slice(1));
  history.replaceState(null, "", location.pathname + location.search);
  if (new URLSearchParams(location.search).get("wire") === "bridge") {
    const key = secrets.get("k");
    // After a reload the address no longer contains the key, so it is kept in the session storage.
    if (key) sessionStorage.setItem(BRIDGE_KEY, key);
    return new BridgeTransport(sessionStorage.getItem(BRIDGE_KEY) ?? "");
  }
  const token = secrets.get("t");
  if (token) sessionStorage.setItem(SESSION_KEY, token);
  const scheme = location.protocol === "https:" ? "wss" : "ws";
  return new WebSocketTransport(`${scheme}://${location.host}/ws`, {
    get: () => sessionStorage.getItem(SESSION_KEY),
    set: (next) => sessionStorage.setItem(SESSION_KEY, next),
  });
}
