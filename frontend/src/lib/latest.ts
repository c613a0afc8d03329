/**
 * Guards against late answers: of several overlapping requests only the newest may change state.
 *
 *     const isLatest = this.requests.start();
 *     const view = await client.call("config.get");
 *     if (isLatest()) this.view = view;
 */
export class Latest {
  private requestId = 0;

  /** Start a request, which outdates all earlier ones. Returns whether it is still the newest. */
  start(): () => boolean {
    this.requestId++;
    return this.current();
  }

  /** Follow the newest request without starting one. Returns whether no newer one has started. */
  current(): () => boolean {
    const { requestId } = this;
    return () => requestId === this.requestId;
  }

  /** Outdate every request that has started. */
  cancel(): void {
    this.requestId++;
  }
}
