/** A tool result in the format that MCP Apps expect. Pure. */
import { unwrapToolResult } from "$lib/skills";

type Plain = Record<string, unknown>;

/**
 * Build an MCP tool result from a stored chat result, which has no images. Null when the stored
 * content cannot be parsed.
 */
export function toolResult({ ok, content }: { ok: boolean; content: string }): Plain | null {
  if (!ok) return { content: [{ type: "text", text: unwrapToolResult(content) }], isError: true };
  const { text, structured } = object(unwrapToolResult(content)) ?? {};
  if (typeof text !== "string") return null;
  const data = structured ?? object(text);
  return { content: [{ type: "text", text }], ...(data ? { structuredContent: data } : {}) };
}

function object(content: string): Plain | null {
  try {
    const read: unknown = JSON.parse(content);
    return typeof read === "object" && read !== null && !Array.isArray(read)
      ? (read as Plain)
      : null;
  } catch {
    return null;
  }
}
