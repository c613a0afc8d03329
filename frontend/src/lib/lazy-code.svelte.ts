/** Modules that are loaded on demand instead of with the page. */

export class LazyCode<T> {
  /** The module; null until it is loaded. */
  module = $state.raw<T | null>(null);
  /** Whether the last call of `load` failed. */
  failed = $state(false);
  private loading: Promise<void> | null = null;

  constructor(private readonly importModule: () => Promise<T>) {}

  /** Load the module that the user needs now. Sets `failed` instead of rejecting. */
  async load(): Promise<void> {
    this.failed = false;
    try {
      await this.prefetch();
    } catch (error) {
      console.error(error);
      this.failed = true;
    }
  }

  /** Load the module in advance. Rejects if it cannot be loaded; the next call tries again. */
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
