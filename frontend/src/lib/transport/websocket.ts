/** The transport of a browser: a WebSocket on loopback, opened with a single-use token. */
import {
  ConnectionLost,
  type Batch,
  type Envelope,
  type Link,
  type Listener,
  type Transport,
} from "./transport";

const CLOSE_REFUSED = 4403;
const FIRST_RETRY_MS = 250;
const LONGEST_RETRY_MS = 5_000;

interface PendingCall {
  resolve: (envelope: Envelope) => void;
  reject: (reason: Error) => void;
}
type Message = { hello: { session: string } } | { batch: Batch } | ({ id: number } & Envelope);

/** Storage for the token of the next connection, which outlives a reload of the page. */
export interface TokenStore {
  get(): string | null;
  set(token: string): void;
}

export class WebSocketTransport implements Transport {
  private socket: WebSocket | null = null;
  private listener: Listener | null = null;
  private pendingCalls = new Map<number, PendingCall>();
  private nextId = 1;
  private retryMs = FIRST_RETRY_MS;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private closed = false;

  constructor(
    private readonly url: string,
    private readonly tokens: TokenStore,
  ) {}

  open(listener: Listener): void {
    this.listener = listener;
    this.connect();
  }

  call(method: string, params: unknown): Promise<Envelope> {
    const socket = this.socket;
    if (!socket || socket.readyState !== WebSocket.OPEN)
      return Promise.reject(new ConnectionLost());
    const id = this.nextId++;
    return new Promise((resolve, reject) => {
      this.pendingCalls.set(id, { resolve, reject });
      socket.send(JSON.stringify({ id, method, params }));
    });
  }

  retry(): void {
    if (this.closed || this.socket) return;
    clearTimeout(this.timer);
    this.connect();
  }

  close(): void {
    this.closed = true;
    clearTimeout(this.timer);
    this.socket?.close();
    this.rejectPending();
  }

  private connect(): void {
    const token = this.tokens.get();
    if (!token) return this.notifyLink("refused");
    this.notifyLink("connecting");
    const socket = new WebSocket(this.url, ["conductor", token]);
    this.socket = socket;
    socket.onmessage = (event) => this.onMessage(JSON.parse(String(event.data)) as Message);
    socket.onclose = (event) => this.onClose(socket, event.code);
  }

  private onMessage(message: Message): void {
    if ("hello" in message) {
      this.tokens.set(message.hello.session);
      this.retryMs = FIRST_RETRY_MS;
      this.notifyLink("open");
    } else if ("batch" in message) {
      this.listener?.onBatch(message.batch);
    } else {
      this.pendingCalls.get(message.id)?.resolve(message);
      this.pendingCalls.delete(message.id);
    }
  }

  private onClose(socket: WebSocket, code: number): void {
    if (socket !== this.socket) return;
    this.socket = null;
    this.rejectPending();
    if (this.closed) return;
    if (code === CLOSE_REFUSED) return this.notifyLink("refused");
    this.notifyLink("lost");
    this.timer = setTimeout(() => this.connect(), this.retryMs);
    this.retryMs = Math.min(LONGEST_RETRY_MS, this.retryMs * 2);
  }

  private rejectPending(): void {
    for (const { reject } of this.pendingCalls.values()) reject(new ConnectionLost());
    this.pendingCalls.clear();
  }

  private notifyLink(link: Link): void {
    this.listener?.onLink(link);
  }
}
