import type { Schema } from "../schema";

/** The props that all kinds of fields have in common. */
export interface FieldProps {
  /** The schema, with references resolved and null removed. */
  schema: Schema;
  /** The value, or the default if it is not set. */
  value: unknown;
  path: string;
  name: string;
  label: string;
  /** Whether the field may be null. */
  optional: boolean;
  invalid: boolean;
  onChange: (value: unknown) => void;
}
