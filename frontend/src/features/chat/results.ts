/** Tool results that a card can show better than as JSON. Pure. */
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
export type Shown =
  | { is: "code"; run: CodeResult }
  | { is: "found"; found: FoundTool[] }
  | { is: "text"; text: string }
  | { is: "plain" };

const RUN = "conductor_run_code";
const DISCOVER = "conductor_discover_skills";

export function shownResult(tool: string, content: string): Shown {
  const read = object(content);
  if (!read) return { is: "plain" };
  if (tool === RUN) return code(read);
  if (tool === DISCOVER) return toFoundTools(read);
  // The result of an MCP server: its text without the marks around it.
  if (serverOf(tool) && typeof read["text"] === "string" && read["text"] !== "")
    return { is: "text", text: read["text"] };
  return { is: "plain" };
}

/** Return the code that a call runs; null when it runs none. */
export function findCode(
  tool: string,
  args: Readonly<Record<string, unknown>>,
): { code: string; language: string } | null {
  const { code, language } = args;
  return tool === RUN && typeof code === "string"
    ? { code, language: typeof language === "string" ? language : "" }
    : null;
}

/** The refusals in messages of older versions, whose results have no error code. */
const OLDER_REFUSAL =
  /\bthe user (does not allow|never allows)\b|^the call of .+ was not approved in time/;

/** Returns whether a failed call was refused. */
export function wasDenied({
  code,
  content,
}: Pick<PartOf<"tool_result">, "code" | "content">): boolean {
  return code ? code === "not_allowed" : OLDER_REFUSAL.test(content);
}

function code({ output, result, error, timed_out }: Record<string, unknown>): Shown {
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

function toFoundTools(read: Record<string, unknown>): Shown {
  const list = ["found", "tools", "skills"].map((name) => read[name]).find(Array.isArray) ?? [];
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

function object(content: string): Record<string, unknown> | null {
  try {
    const read: unknown = JSON.parse(unwrapToolResult(content));
    return typeof read === "object" && read !== null && !Array.isArray(read)
      ? (read as Record<string, unknown>)
      : null;
  } catch {
    return null;
  }
}
