/**
 * The host side of MCP Apps (specification of 2026-01-26): JSON-RPC with the page of an MCP server.
 * The page runs in a frame without an origin whose policy blocks all network access, so it can only
 * send requests to this host. `doors` gives it access to the tools and resources of its own server
 * only.
 */

type Plain = Record<string, unknown>;
type Id = string | number;

/** The operations that a page may request. An error message thrown here is sent to the page. */
export interface PageOperations {
  call(tool: string, args: Plain): Promise<unknown>;
  read(uri: string): Promise<unknown>;
  /** Open a link after asking the user. Resolves to whether it was opened. */
  openLink(url: string): Promise<boolean>;
  sized(height: number): void;
  /** Called when the page sends too many messages and should be closed. */
  flooded(): void;
}

export interface HostContext {
  theme: "dark" | "light";
  displayMode: "inline";
  availableDisplayModes: ["inline"];
  containerDimensions: { maxHeight: number; width: number };
  locale: string;
  timeZone: string;
  platform: "desktop";
}

export const VERSION = "2026-01-26";
const AT_ONCE = 4;
const MESSAGES_A_SECOND = 100;
const NAME_AT_MOST = 2_000;
const NOT_FOUND = -32601;
const INVALID = -32602;
const REFUSED_CODE = -32000;

class Refusal extends Error {
  constructor(
    readonly code: number,
    message: string,
  ) {
    super(message);
  }
}

const isPlain = (value: unknown): value is Plain =>
  typeof value === "object" && value !== null && !Array.isArray(value);

function text(params: Plain, name: string): string {
  const value = params[name];
  if (typeof value !== "string" || value === "" || value.length > NAME_AT_MOST)
    throw new Refusal(INVALID, `\`${name}\` must be a text`);
  return value;
}

export class AppHost {
  private open = 0;
  private heardSince = 0;
  private heard = 0;
  private shown = false;
  private readonly listen = (event: MessageEvent): void => this.take(event);

  constructor(
    private readonly frame: () => Window | null,
    private readonly input: Plain,
    private readonly result: () => unknown,
    private readonly context: () => HostContext,
    private readonly doors: PageOperations,
  ) {
    window.addEventListener("message", this.listen);
  }

  /** Send the page its teardown request, and ignore all later messages. */
  close(): void {
    window.removeEventListener("message", this.listen);
    this.post({ id: "teardown", method: "ui/resource-teardown", params: { reason: "closed" } });
  }

  contextChanged(changed: Partial<HostContext>): void {
    if (this.shown) this.post({ method: "ui/notifications/host-context-changed", params: changed });
  }

  /** Send the result of the tool call to the page, once both are ready. */
  tellResult(): void {
    const result = this.result();
    if (this.shown && result !== null)
      this.post({ method: "ui/notifications/tool-result", params: result });
  }

  private take(event: MessageEvent): void {
    const frame = this.frame();
    if (!frame || event.source !== frame || event.origin !== "null" || this.floods(event.timeStamp))
      return;
    const message: unknown = event.data;
    if (!isPlain(message) || message["jsonrpc"] !== "2.0" || typeof message["method"] !== "string")
      return;
    const { id, method } = message;
    const params = isPlain(message["params"]) ? message["params"] : {};
    if (typeof id === "string" || typeof id === "number") void this.answer(id, method, params);
    else if (id === undefined) this.note(method, params);
  }

  private floods(now: number): boolean {
    if (now - this.heardSince > 1_000) [this.heardSince, this.heard] = [now, 0];
    this.heard += 1;
    if (this.heard === MESSAGES_A_SECOND + 1) this.doors.flooded();
    return this.heard > MESSAGES_A_SECOND;
  }

  private note(method: string, params: Plain): void {
    if (method === "ui/notifications/initialized" && !this.shown) {
      this.shown = true;
      this.post({ method: "ui/notifications/tool-input", params: { arguments: this.input } });
      this.tellResult();
    }
    const height = params["height"];
    if (method === "ui/notifications/size-changed" && typeof height === "number" && height >= 0)
      this.doors.sized(height);
  }

  private async answer(id: Id, method: string, params: Plain): Promise<void> {
    try {
      if (this.open >= AT_ONCE)
        throw new Refusal(REFUSED_CODE, "too many requests at once; wait for an answer");
      this.open += 1;
      try {
        this.post({ id, result: await this.done(method, params) });
      } finally {
        this.open -= 1;
      }
    } catch (error) {
      const code = error instanceof Refusal ? error.code : REFUSED_CODE;
      this.post({
        id,
        error: { code, message: error instanceof Error ? error.message : String(error) },
      });
    }
  }

  private async done(method: string, params: Plain): Promise<unknown> {
    switch (method) {
      case "ui/initialize":
        this.shown = false;
        return {
          protocolVersion: VERSION,
          hostInfo: { name: "Conductor", version: "1" },
          hostCapabilities: { openLinks: {}, serverTools: {}, serverResources: {} },
          hostContext: this.context(),
        };
      case "ping":
        return {};
      case "tools/call": {
        const args = params["arguments"] ?? {};
        if (!isPlain(args)) throw new Refusal(INVALID, "`arguments` must be an object");
        return this.doors.call(text(params, "name"), args);
      }
      case "resources/read":
        return this.doors.read(text(params, "uri"));
      case "ui/open-link": {
        const url = text(params, "url");
        if (!/^https?:[/][/]/i.test(url))
          throw new Refusal(INVALID, "only web addresses can be opened");
        if (!(await this.doors.openLink(url)))
          throw new Refusal(REFUSED_CODE, "the user did not open it");
        return {};
      }
      case "ui/request-display-mode":
        return { mode: "inline" };
      case "ui/message":
      case "ui/update-model-context":
        throw new Refusal(REFUSED_CODE, "a page may not speak to the model here; the user does");
      default:
        throw new Refusal(NOT_FOUND, `there is no ${method.slice(0, 100)} here`);
    }
  }

  private post(message: Plain): void {
    // The frame has no origin to name as a target; it contains only what its own server sent.
    this.frame()?.postMessage({ jsonrpc: "2.0", ...message }, "*");
  }
}
