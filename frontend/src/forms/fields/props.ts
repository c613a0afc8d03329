import type { Schema } from "../schema";

/** What every kind of field is given. */
export interface FieldProps {
  /** Without its reference and without null. */
  schema: Schema;
  /** The value, or the default where none is given. */
  value: unknown;
  path: string;
  name: string;
  label: string;
  /** Null may stand there. */
  optional: boolean;
  invalid: boolean;
  onChange: (value: unknown) => void;
}
