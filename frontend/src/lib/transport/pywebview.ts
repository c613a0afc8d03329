/**
 * The transport of the app window: pywebview's bridge, without its `eval`.
 * pywebview builds its public API with `new Function`, which the page's CSP forbids. The two
 * private functions that are declared below work without it.
 */
import type { Batch, Envelope, Listener, Transport } from "./transport";
import { strings } from "../strings";

interface Answer {
  value: string;
  isError?: boolean;
}
interface PyWebView {
  _returnValuesCallbacks: Record<string, Record<string, (answer: Answer) => void>>;
  _jsApiCallback(name: string, args: unknown[], id: string): void;
}
declare global {
  interface Window {
    pywebview?: PyWebView;
    __conductor_push?: (batch: Batch) => void;
  }
}

export class BridgeTransport implements Transport {
  private nextId = 1;
  private readonly ready: Promise<PyWebView>;

  constructor(private readonly key: string) {
    this.ready = new Promise((resolve) => {
      const resolveIfReady = () => {
        if (window.pywebview?._jsApiCallback) resolve(window.pywebview);
      };
      resolveIfReady();
      window.addEventListener("pywebviewready", resolveIfReady, { once: true });
    });
  }

  open(listener: Listener): void {
    listener.onLink("connecting");
    void this.ready.then(() => {
      listener.onLink("open");
      // Not earlier: an answer to such an event would overtake the calls of a page just opened.
      window.__conductor_push = (batch) => listener.onBatch(batch);
    });
  }

  async call(method: string, params: unknown): Promise<Envelope> {
    const bridge = await this.ready;
    const id = `c${this.nextId++}`;
    return new Promise((resolve) => {
      const answers = (bridge._returnValuesCallbacks["rpc"] ??= {});
      answers[id] = (answer) => {
        delete answers[id];
        resolve(parseAnswer(answer));
      };
      bridge._jsApiCallback("rpc", [this.key, method, params], id);
    });
  }

  retry(): void {}

  close(): void {
    delete window.__conductor_push;
  }
}

function parseAnswer(answer: Answer): Envelope {
  const value: unknown = JSON.parse(answer.value);
  if (!answer.isError) return value as Envelope;
  return {
    ok: false,
    error: { code: "internal", message: strings.windowCouldNotReachConductor },
  };
}
