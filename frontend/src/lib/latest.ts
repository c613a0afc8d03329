/**
 * Detects outdated answers: of several overlapping requests, only the newest may change state.
 *
 *     const isLatest = this.requests.start();
 *     const view = await client.call("config.get");
 *     if (isLatest()) this.view = view;
 */
export class LatestRequest {
  private requestId = 0;

  /**
   * Start a request, which outdates all earlier ones. Returns a function that tells whether this
   * request is still the newest.
   */
  start(): () => boolean {
    this.requestId++;
    return this.current();
  }

  /** Return a function that tells whether no request has been started since this call. */
  current(): () => boolean {
    const { requestId } = this;
    return () => requestId === this.requestId;
  }

  /** Outdate all requests that have been started. */
  cancel(): void {
    this.requestId++;
  }
}
