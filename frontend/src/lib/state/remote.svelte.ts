/** Agents on other computers: whether they are served, who asks for access, and who has it. */
import { ConnectionLost } from "../transport/transport";
import { errorMessage, type Client } from "../client/client";
import type {
  AuthorizationRequestView,
  RemoteAccessStatus,
  RemoteGrantView,
  RemoteScope,
} from "../client/types";
import type { UiState } from "./ui.svelte";
import { strings } from "../strings";

/** How long a request is offered: as long as it can wait for the user. */
const ANNOUNCED_MS = 300_000;

export class RemoteState {
  /** The requests for access that wait for the user, oldest first. */
  requests = $state.raw<AuthorizationRequestView[]>([]);
  /** The id of the request that the dialog shows; null if the dialog is closed. */
  reviewing = $state<string | null>(null);
  status = $state.raw<RemoteAccessStatus | null>(null);
  /** Who has access; null: not loaded yet. */
  grants = $state.raw<RemoteGrantView[] | null>(null);
  /** Why the last answer was not accepted, such as a wrong code. */
  error = $state<string | null>(null);
  busy = $state(false);
  private toasts = new Map<string, number>();

  constructor(
    private readonly client: Client,
    private readonly ui: UiState,
  ) {
    client.onResync(() => void this.loadRequests());
    client.on("authorization_request", (request) => this.onRequest(request));
    client.on("remote", (status) => {
      this.status = status;
      if (this.grants) void this.loadGrants();
    });
  }

  get reviewed(): AuthorizationRequestView | undefined {
    return this.requests.find((one) => one.request_id === this.reviewing);
  }

  async loadRequests(): Promise<void> {
    try {
      const { requests } = await this.client.call("remote.requests");
      requests.forEach((one) => this.onRequest(one));
    } catch (error) {
      if (!(error instanceof ConnectionLost)) this.ui.toast(errorMessage(error), { tone: "error" });
    }
  }

  async loadStatus(): Promise<void> {
    this.status = await this.client.call("remote.status");
  }

  async loadGrants(): Promise<void> {
    this.grants = (await this.client.call("remote.grants")).grants;
  }

  review(request: AuthorizationRequestView): void {
    this.error = null;
    this.reviewing = request.request_id;
  }

  /** Close the dialog without a decision. The request is offered again. */
  close(): void {
    const request = this.reviewed;
    this.reviewing = null;
    if (request) this.announce(request);
  }

  allow(
    { request_id }: AuthorizationRequestView,
    code: string,
    scopes: RemoteScope[],
  ): Promise<void> {
    return this.submit(() => this.client.call("remote.allow", { request_id, code, scopes }));
  }

  deny({ request_id }: AuthorizationRequestView): Promise<void> {
    return this.submit(() => this.client.call("remote.deny", { request_id }));
  }

  async revoke({ grant_id }: RemoteGrantView): Promise<void> {
    this.grants = (await this.client.call("remote.revoke", { grant_id })).grants;
  }

  /** Send the user's decision. If it is not accepted, the dialog stays open and says why. */
  private async submit(run: () => Promise<AuthorizationRequestView>): Promise<void> {
    if (this.busy) return;
    this.busy = true;
    this.error = null;
    try {
      this.onRequest(await run());
    } catch (error) {
      this.error = errorMessage(error);
    } finally {
      this.busy = false;
    }
  }

  private onRequest(request: AuthorizationRequestView): void {
    const { request_id, state } = request;
    const others = this.requests.filter((one) => one.request_id !== request_id);
    const isKnown = others.length < this.requests.length;
    if (state === "pending") {
      this.requests = [...others, request].sort((a, b) =>
        a.requested_at.localeCompare(b.requested_at),
      );
      if (!isKnown) this.announce(request);
      return;
    }
    this.requests = others;
    this.ui.dismiss(this.toasts.get(request_id) ?? -1);
    this.toasts.delete(request_id);
    if (!isKnown) return;
    if (this.reviewing === request_id) this.reviewing = null;
    if (state === "allowed")
      this.ui.toast(strings.accessGranted(request.client), { tone: "success" });
    else if (this.error) this.ui.toast(this.error, { tone: "warning" });
    else if (state === "expired")
      this.ui.toast(strings.accessExpired(request.client), { tone: "warning" });
  }

  /** Offer the request without covering the screen, which the user may need to play. */
  private announce(request: AuthorizationRequestView): void {
    this.toasts.set(
      request.request_id,
      this.ui.toast(strings.asksForAccess(request.client, request.source), {
        group: request.request_id,
        duration_ms: ANNOUNCED_MS,
        action: { label: strings.review, run: () => this.review(request) },
      }),
    );
  }
}
