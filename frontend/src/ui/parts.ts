/** Join the parts of a line, such as a device and a note, with a separator that is read aloud. */
export const joinParts = (...parts: readonly (string | null | undefined | false)[]): string =>
  parts.filter(Boolean).join(" · ");
