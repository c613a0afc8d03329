/** Svelte context of the chat: the available models, and the component for MCP server pages. */
import { getContext, setContext, type Component } from "svelte";
import type { Models } from "./models.svelte";

const KEY = Symbol("chat models");

export function provideModels(models: Models): void {
  setContext(KEY, models);
}

export function useModels(): Models {
  return getContext<Models>(KEY);
}

/**
 * Component that shows an MCP server's own page for a tool result. It belongs to another feature,
 * so the view passes it in.
 */
export type ResultPage = Component<{
  tool: string;
  args: Readonly<Record<string, unknown>>;
  result: { ok: boolean; content: string } | undefined;
}>;
const PAGE = Symbol("page of a result");

export function provideResultPage(page: ResultPage): void {
  setContext(PAGE, page);
}

export function useResultPage(): ResultPage | undefined {
  return getContext<ResultPage | undefined>(PAGE);
}
