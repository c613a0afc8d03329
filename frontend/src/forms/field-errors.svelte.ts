/** The errors of the fields of a mapping, and which of them are shown. */
import { describeProblem } from "./problems";

type Errors = Readonly<Record<string, string>>;

export class FieldErrors {
  /** All errors by field path, such as `trigger.note`. */
  readonly all: Errors;
  /**
   * The errors that are shown. An empty field is not wrong while the user is on the way to it, so
   * its error appears once the user has left the field or tried to save.
   */
  readonly visible: Errors;
  private found = $state.raw<Errors>({});
  /** The paths of the fields that the user has left. */
  private left = $state.raw<ReadonlySet<string>>(new Set());
  private saveTried = $state(false);

  /** @param missing returns the errors that the page finds itself */
  constructor(missing: () => Errors) {
    this.all = $derived({ ...missing(), ...this.found });
    this.visible = $derived(
      Object.fromEntries(Object.entries(this.all).filter(([path]) => this.isVisible(path))),
    );
  }

  /** Replace the errors that the backend found, such as `{"changes.0.mapping.trigger.note": …}`. */
  set(fields: Errors): void {
    this.found = Object.fromEntries(
      Object.entries(fields).map(([path, message]) =>
        describeProblem(path.replace(/^changes\.\d+\.(mapping\.)?/, ""), message),
      ),
    );
  }

  leave(path: string): void {
    if (!this.left.has(path)) this.left = new Set([...this.left, path]);
  }

  /** Hide the errors of a part whose fields have been replaced, such as `action`. */
  restart(part: string): void {
    this.left = new Set([...this.left].filter((path) => path.split(".")[0] !== part));
    this.saveTried = false;
  }

  showAll(): void {
    this.saveTried = true;
  }

  reset(): void {
    this.found = {};
    this.left = new Set();
    this.saveTried = false;
  }

  private isVisible(path: string): boolean {
    return (
      this.saveTried || [...this.left].some((left) => left === path || left.startsWith(`${path}.`))
    );
  }
}
