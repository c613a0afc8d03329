/** What came of a call, as the page of its server wants it: a result of MCP. Pure. */
import { unmarked } from "$lib/skills";

type Plain = Record<string, unknown>;

/**
 * Makes it of what the chat keeps of an answer: the server's words, without pictures. Null when it
 * cannot be read.
 */
export function toolResult({ ok, content }: { ok: boolean; content: string }): Plain | null {
  if (!ok) return { content: [{ type: "text", text: unmarked(content) }], isError: true };
  const { text, structured } = object(unmarked(content)) ?? {};
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
