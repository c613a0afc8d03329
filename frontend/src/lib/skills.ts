/** Names and icons of tools. Pure. */
import Blocks from "@lucide/svelte/icons/blocks";
import Brain from "@lucide/svelte/icons/brain";
import Calculator from "@lucide/svelte/icons/calculator";
import CodeXml from "@lucide/svelte/icons/code-xml";
import Compass from "@lucide/svelte/icons/compass";
import FolderOpen from "@lucide/svelte/icons/folder-open";
import Globe from "@lucide/svelte/icons/globe";
import ListTodo from "@lucide/svelte/icons/list-todo";
import NotebookPen from "@lucide/svelte/icons/notebook-pen";
import Plug from "@lucide/svelte/icons/plug";
import Search from "@lucide/svelte/icons/search";
import Sparkles from "@lucide/svelte/icons/sparkles";
import type { Icon } from "$ui/types";
import { TOOL_TITLES } from "./client/generated";
import { strings as titles } from "./tool-titles/strings";

export type SkillTier = "core" | "enhanced" | "network" | "integration";

/** The icons of skills, by the beginning of the skill's name. */
const ICONS: readonly [start: string, icon: Icon][] = [
  ["mcp:", Plug],
  ["mcp__", Plug],
  ["calculat", Calculator],
  ["note", NotebookPen],
  ["task", ListTodo],
  ["recall", Brain],
  ["memory", Brain],
  ["file", FolderOpen],
  ["code", CodeXml],
  ["run_code", CodeXml],
  ["web_search", Search],
  ["search", Search],
  ["web", Globe],
  ["fetch", Globe],
  ["discover", Compass],
  ["plugin", Blocks],
];

export function skillIcon(skill_id: string): Icon {
  const name = skill_id.replace(/^conductor_/, "");
  return ICONS.find(([start]) => name.startsWith(start))?.[1] ?? Sparkles;
}

/** Return the name that models use for a tool. */
export function wireName(tool: string): string {
  return tool
    .replaceAll(":", "__")
    .replace(/[^A-Za-z0-9_-]/g, "_")
    .slice(0, 64);
}

/** Return the title of a built-in tool; for any other tool, its name with spaces. */
export function toolTitle(tool: string): string {
  const words = tool
    .replace(/^conductor_|^mcp:[^:]+:|^mcp__.+?__/, "")
    .replace(/[._-]+/g, " ")
    .trim();
  return titles.tools[tool] ?? TOOL_TITLES[tool] ?? words.charAt(0).toUpperCase() + words.slice(1);
}

/** Return the title of a built-in skill in the current language, or the title of the backend. */
export function skillTitle(skill_id: string, title: string): string {
  return titles.skills[skill_id.replace(/^conductor_/, "")] ?? title;
}

/** Return the title of a group of skills in the current language, or the title of the backend. */
export const tierTitle = (tier: string, title: string): string => titles.tiers[tier] ?? title;

/** Return the MCP server of a tool, given its id or its name for models; null if it has none. */
export function serverOf(tool: string): string | null {
  return /^mcp:([^:]+):/.exec(tool)?.[1] ?? /^mcp__(.+?)__/.exec(tool)?.[1] ?? null;
}

/** Remove the server's name from the title of a tool, because it is shown separately. */
export function titleWithoutServer(title: string, tool: string): string {
  const server = serverOf(tool);
  return server && title.startsWith(`${server}: `) ? title.slice(server.length + 2) : title;
}

/** Remove the `[origin]` prefix, which is meant for models, from the description of a tool. */
export function descriptionWithoutOrigin(description: string, origin: string | null): string {
  return origin && description.startsWith(`[${origin}] `)
    ? description.slice(origin.length + 3)
    : description;
}

/** Remove the `<tool_result>` tags, which mark untrusted text for models, from a tool result. */
export function unwrapToolResult(content: string): string {
  return /^<tool_result [^>]*>\n([^]*)\n<\/tool_result>$/.exec(content.trim())?.[1] ?? content;
}
