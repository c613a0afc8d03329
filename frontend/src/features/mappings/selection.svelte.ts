/** The selection of rows, with the focused row. */

export class Selection {
  keys = $state.raw<ReadonlySet<string>>(new Set());
  /** The key of the focused row; null: no row is focused. */
  focusedKey = $state<string | null>(null);
  private anchor: string | null = null;

  get only(): string | null {
    return this.keys.size === 1 ? [...this.keys][0]! : null;
  }

  has(key: string): boolean {
    return this.keys.has(key);
  }

  set(keys: readonly string[]): void {
    this.keys = new Set(keys);
    this.focusedKey = keys.at(-1) ?? null;
    this.anchor = keys[0] ?? null;
  }

  clear(): void {
    this.keys = new Set();
    this.anchor = null;
  }

  toggle(key: string): void {
    const next = new Set(this.keys);
    if (!next.delete(key)) next.add(key);
    this.keys = next;
    this.focusedKey = this.anchor = key;
  }

  /** Select all rows from the anchor to a row, in the displayed order. */
  extend(key: string, order: readonly string[]): void {
    const from = order.indexOf(this.anchor ?? key);
    const to = order.indexOf(key);
    if (to < 0) return;
    const start = from < 0 ? to : from;
    this.keys = new Set(order.slice(Math.min(start, to), Math.max(start, to) + 1));
    this.anchor = order[start] ?? key;
    this.focusedKey = key;
  }

  /** Return the key of the row after a number of steps; null when there are no rows. */
  keyAfterStep(by: number | "first" | "last", order: readonly string[]): string | null {
    if (!order.length) return null;
    if (by === "first") return order[0]!;
    if (by === "last") return order.at(-1)!;
    const at = this.focusedKey === null ? -1 : order.indexOf(this.focusedKey);
    if (at < 0) return by > 0 ? order[0]! : order.at(-1)!;
    return order[Math.min(order.length - 1, Math.max(0, at + by))]!;
  }
}
