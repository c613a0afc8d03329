/** Hands the models, and what shows the page of an MCP server, to everything in the chat. */
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
 * Shows what the server of a tool shows of its result. Another feature's: the view that knows both
 * hands it in.
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
