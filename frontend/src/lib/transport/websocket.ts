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
const FIRST_WAIT_MS = 250;
const LONGEST_WAIT_MS = 5_000;

interface Waiting {
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
  private waiting = new Map<number, Waiting>();
  private nextId = 1;
  private waitMs = FIRST_WAIT_MS;
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
      this.waiting.set(id, { resolve, reject });
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
    this.drop();
  }

  private connect(): void {
    const token = this.tokens.get();
    if (!token) return this.tell("refused");
    this.tell("connecting");
    const socket = new WebSocket(this.url, ["conductor", token]);
    this.socket = socket;
    socket.onmessage = (event) => this.receive(JSON.parse(String(event.data)) as Message);
    socket.onclose = (event) => this.ended(socket, event.code);
  }

  private receive(message: Message): void {
    if ("hello" in message) {
      this.tokens.set(message.hello.session);
      this.waitMs = FIRST_WAIT_MS;
      this.tell("open");
    } else if ("batch" in message) {
      this.listener?.onBatch(message.batch);
    } else {
      this.waiting.get(message.id)?.resolve(message);
      this.waiting.delete(message.id);
    }
  }

  private ended(socket: WebSocket, code: number): void {
    if (socket !== this.socket) return;
    this.socket = null;
    this.drop();
    if (this.closed) return;
    if (code === CLOSE_REFUSED) return this.tell("refused");
    this.tell("lost");
    this.timer = setTimeout(() => this.connect(), this.waitMs);
    this.waitMs = Math.min(LONGEST_WAIT_MS, this.waitMs * 2);
  }

  private drop(): void {
    for (const { reject } of this.waiting.values()) reject(new ConnectionLost());
    this.waiting.clear();
  }

  private tell(link: Link): void {
    this.listener?.onLink(link);
  }
}
