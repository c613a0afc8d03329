/**
 * The host side of MCP Apps (specification of 2026-01-26): JSON-RPC with the page of an MCP server.
 * The page runs in a frame without an origin whose policy blocks all network access, so it can only
 * send requests to this host, which forwards tool calls and resource reads to the page's server.
 */

type JsonObject = Record<string, unknown>;
type RequestId = string | number;

/** Operations that a page may request. The message of an error thrown here is sent to the page. */
export interface PageOperations {
  callTool(tool: string, args: JsonObject): Promise<unknown>;
  readResource(uri: string): Promise<unknown>;
  /** Open a link after asking the user. Resolves to whether the link was opened. */
  openLink(url: string): Promise<boolean>;
  onResize(height: number): void;
  /** Called when the page sends too many messages and should be closed. */
  onFlood(): void;
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
const MAX_RUNNING_REQUESTS = 4;
const MAX_MESSAGES_PER_SECOND = 100;
const MAX_TEXT_LENGTH = 2_000;
const METHOD_NOT_FOUND = -32601;
const INVALID_PARAMS = -32602;
const REQUEST_REFUSED = -32000;

class RequestError extends Error {
  constructor(
    readonly code: number,
    message: string,
  ) {
    super(message);
  }
}

const isJsonObject = (value: unknown): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);

function requireText(params: JsonObject, name: string): string {
  const value = params[name];
  if (typeof value !== "string" || value === "" || value.length > MAX_TEXT_LENGTH)
    throw new RequestError(
      INVALID_PARAMS,
      `\`${name}\` must be a non-empty string of at most ${MAX_TEXT_LENGTH} characters`,
    );
  return value;
}

export class AppHost {
  private runningRequests = 0;
  private countingSince = 0;
  private messageCount = 0;
  private initialized = false;
  private readonly listen = (event: MessageEvent): void => this.onMessage(event);

  constructor(
    private readonly frame: () => Window | null,
    private readonly input: JsonObject,
    private readonly result: () => unknown,
    private readonly context: () => HostContext,
    private readonly operations: PageOperations,
  ) {
    window.addEventListener("message", this.listen);
  }

  /** Send a teardown request to the page and ignore all later messages. */
  close(): void {
    window.removeEventListener("message", this.listen);
    this.post({ id: "teardown", method: "ui/resource-teardown", params: { reason: "closed" } });
  }

  sendContextChange(changed: Partial<HostContext>): void {
    if (this.initialized)
      this.post({ method: "ui/notifications/host-context-changed", params: changed });
  }

  /** Send the tool result to the page, if the page is initialized and the call has finished. */
  sendResult(): void {
    const result = this.result();
    if (this.initialized && result !== null)
      this.post({ method: "ui/notifications/tool-result", params: result });
  }

  private onMessage(event: MessageEvent): void {
    const frame = this.frame();
    if (
      !frame ||
      event.source !== frame ||
      event.origin !== "null" ||
      this.isFlooding(event.timeStamp)
    )
      return;
    const message: unknown = event.data;
    if (
      !isJsonObject(message) ||
      message["jsonrpc"] !== "2.0" ||
      typeof message["method"] !== "string"
    )
      return;
    const { id, method } = message;
    const params = isJsonObject(message["params"]) ? message["params"] : {};
    if (typeof id === "string" || typeof id === "number") void this.onRequest(id, method, params);
    else if (id === undefined) this.onNotification(method, params);
  }

  private isFlooding(now: number): boolean {
    if (now - this.countingSince > 1_000) [this.countingSince, this.messageCount] = [now, 0];
    this.messageCount += 1;
    if (this.messageCount === MAX_MESSAGES_PER_SECOND + 1) this.operations.onFlood();
    return this.messageCount > MAX_MESSAGES_PER_SECOND;
  }

  private onNotification(method: string, params: JsonObject): void {
    if (method === "ui/notifications/initialized" && !this.initialized) {
      this.initialized = true;
      this.post({ method: "ui/notifications/tool-input", params: { arguments: this.input } });
      this.sendResult();
    }
    const height = params["height"];
    if (method === "ui/notifications/size-changed" && typeof height === "number" && height >= 0)
      this.operations.onResize(height);
  }

  private async onRequest(id: RequestId, method: string, params: JsonObject): Promise<void> {
    try {
      if (this.runningRequests >= MAX_RUNNING_REQUESTS)
        throw new RequestError(REQUEST_REFUSED, "too many requests at once; wait for a response");
      this.runningRequests += 1;
      try {
        this.post({ id, result: await this.runRequest(method, params) });
      } finally {
        this.runningRequests -= 1;
      }
    } catch (error) {
      const code = error instanceof RequestError ? error.code : REQUEST_REFUSED;
      this.post({
        id,
        error: { code, message: error instanceof Error ? error.message : String(error) },
      });
    }
  }

  private async runRequest(method: string, params: JsonObject): Promise<unknown> {
    switch (method) {
      case "ui/initialize":
        this.initialized = false;
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
        if (!isJsonObject(args))
          throw new RequestError(INVALID_PARAMS, "`arguments` must be an object");
        return this.operations.callTool(requireText(params, "name"), args);
      }
      case "resources/read":
        return this.operations.readResource(requireText(params, "uri"));
      case "ui/open-link": {
        const url = requireText(params, "url");
        if (!/^https?:[/][/]/i.test(url))
          throw new RequestError(INVALID_PARAMS, "only http and https addresses can be opened");
        if (!(await this.operations.openLink(url)))
          throw new RequestError(REQUEST_REFUSED, "the user declined to open the link");
        return {};
      }
      case "ui/request-display-mode":
        return { mode: "inline" };
      case "ui/message":
      case "ui/update-model-context":
        throw new RequestError(REQUEST_REFUSED, "a page cannot send messages to the model");
      default:
        throw new RequestError(METHOD_NOT_FOUND, `unknown method ${method.slice(0, 100)}`);
    }
  }

  private post(message: JsonObject): void {
    // The frame has no origin to name as a target; it contains only what its own server sent.
    this.frame()?.postMessage({ jsonrpc: "2.0", ...message }, "*");
  }
}
