/** Hands the models to everything in the chat. */
import { getContext, setContext } from "svelte";
import type { Models } from "./models.svelte";

const KEY = Symbol("chat models");

export function provideModels(models: Models): void {
  setContext(KEY, models);
}

export function useModels(): Models {
  return getContext<Models>(KEY);
}
