/** Svelte context of the chat: the available models, and the component for pages of MCP servers. */
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
 * Component that shows the page of an MCP server for a tool result. The view provides it, because a
 * feature cannot import from another feature.
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
