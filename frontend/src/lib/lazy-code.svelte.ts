/** Code that is not part of the first load. */

export class LazyCode<T> {
  /** The module; null until it is loaded. */
  module = $state.raw<T | null>(null);
  /** Whether the last attempt to load it for the user failed. */
  failed = $state(false);
  private loading: Promise<void> | null = null;

  constructor(private readonly importModule: () => Promise<T>) {}

  /** Load the code because the user needs it now. Sets `failed` instead of rejecting. */
  async load(): Promise<void> {
    this.failed = false;
    try {
      await this.prefetch();
    } catch (error) {
      console.error(error);
      this.failed = true;
    }
  }

  /** Load the code before it is needed. Rejects when it cannot be loaded; it can be tried again. */
  prefetch(): Promise<void> {
    this.loading ??= this.importModule().then(
      (module) => void (this.module = module),
      (error: unknown) => {
        this.loading = null;
        throw error;
      },
    );
    return this.loading;
  }
}
