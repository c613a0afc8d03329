/** Tool results that a card shows in a better form than JSON. */
import { serverOf, unwrapToolResult } from "$lib/skills";
import type { PartOf } from "$lib/state/chat/message-entry.svelte";

export interface CodeResult {
  output: string;
  result: string | null;
  error: string | null;
  timed_out: boolean;
}
export interface FoundTool {
  name: string;
  title: string;
  text: string;
}
export type DisplayedResult =
  | { is: "code"; run: CodeResult }
  | { is: "found"; found: FoundTool[] }
  | { is: "text"; text: string }
  | { is: "plain" };

const RUN_CODE_TOOL = "conductor_run_code";
const DISCOVER_TOOL = "conductor_discover_skills";

export function parseResult(tool: string, content: string): DisplayedResult {
  const parsed = parseObject(content);
  if (!parsed) return { is: "plain" };
  if (tool === RUN_CODE_TOOL) return toCodeResult(parsed);
  if (tool === DISCOVER_TOOL) return toFoundTools(parsed);
  // The result of an MCP server, without the mark that tells models not to trust the text.
  if (serverOf(tool) && typeof parsed["text"] === "string" && parsed["text"] !== "")
    return { is: "text", text: parsed["text"] };
  return { is: "plain" };
}

/** Return the code that a tool call runs; null when the tool runs no code. */
export function findCode(
  tool: string,
  args: Readonly<Record<string, unknown>>,
): { code: string; language: string } | null {
  const { code, language } = args;
  return tool === RUN_CODE_TOOL && typeof code === "string"
    ? { code, language: typeof language === "string" ? language : "" }
    : null;
}

/** Texts of refusals in messages from older versions, whose results have no error code. */
const LEGACY_REFUSAL =
  /\bthe user (does not allow|never allows)\b|^the call of .+ was not approved in time/;

/** Return whether a failed tool call was denied by the user. */
export function wasDenied({
  code,
  content,
}: Pick<PartOf<"tool_result">, "code" | "content">): boolean {
  return code ? code === "not_allowed" : LEGACY_REFUSAL.test(content);
}

function toCodeResult({
  output,
  result,
  error,
  timed_out,
}: Record<string, unknown>): DisplayedResult {
  const text = (value: unknown): string | null =>
    typeof value === "string" && value !== "" ? value : null;
  return {
    is: "code",
    run: {
      output: text(output) ?? "",
      result: text(result),
      error: text(error),
      timed_out: timed_out === true,
    },
  };
}

function toFoundTools(parsed: Record<string, unknown>): DisplayedResult {
  const list = ["found", "tools", "skills"].map((name) => parsed[name]).find(Array.isArray) ?? [];
  const tools = list.flatMap((one: unknown): FoundTool[] => {
    if (typeof one === "string") return [{ name: one, title: one, text: "" }];
    const { name, tool, title, description } = (one ?? {}) as Record<string, unknown>;
    const called = [name, tool].find((word): word is string => typeof word === "string");
    return called
      ? [
          {
            name: called,
            title: typeof title === "string" && title ? title : called,
            text: typeof description === "string" ? description : "",
          },
        ]
      : [];
  });
  return { is: "found", found: tools };
}

function parseObject(content: string): Record<string, unknown> | null {
  try {
    const parsed: unknown = JSON.parse(unwrapToolResult(content));
    return typeof parsed === "object" && parsed !== null && !Array.isArray(parsed)
      ? (parsed as Record<string, unknown>)
      : null;
  } catch {
    return null;
  }
}
