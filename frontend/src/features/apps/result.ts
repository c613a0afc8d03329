/** Conversion of tool results to the format that MCP Apps expect. */
import { unwrapToolResult } from "$lib/skills";

type JsonObject = Record<string, unknown>;

/**
 * Convert a tool result stored in the chat, which has no images, to an MCP tool result. Returns
 * null when the stored content is not valid JSON.
 */
export function toToolResult({ ok, content }: { ok: boolean; content: string }): JsonObject | null {
  if (!ok) return { content: [{ type: "text", text: unwrapToolResult(content) }], isError: true };
  const { text, structured } = parseObject(unwrapToolResult(content)) ?? {};
  if (typeof text !== "string") return null;
  const data = structured ?? parseObject(text);
  return { content: [{ type: "text", text }], ...(data ? { structuredContent: data } : {}) };
}

function parseObject(content: string): JsonObject | null {
  try {
    const parsed: unknown = JSON.parse(content);
    return typeof parsed === "object" && parsed !== null && !Array.isArray(parsed)
      ? (parsed as JsonObject)
      : null;
  } catch {
    return null;
  }
}
