import type { Schema } from "../schema";

/** The props of every kind of field. */
export interface FieldProps {
  /** The schema with its reference resolved and without null. */
  schema: Schema;
  /** The value, or the default when it is not set. */
  value: unknown;
  path: string;
  name: string;
  label: string;
  /** Whether the field may be null. */
  optional: boolean;
  invalid: boolean;
  onChange: (value: unknown) => void;
}
