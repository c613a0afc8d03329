/** The sections of a page, which the frame around the page lists as links. */
import { getContext, setContext } from "svelte";

export interface OutlinePart {
  id: string;
  title: string;
}

export class Outline {
  label = $state("");
  parts = $state.raw<readonly OutlinePart[]>([]);
  /** The id of the section at the top of the page. */
  current = $state("");
  /** Scrolls to a section. */
  jump: (id: string) => void = () => {};
}

const KEY = Symbol("outline");

/** Create the outline that the components inside share, in the initialisation of a component. */
export function provideOutline(): Outline {
  return setContext(KEY, new Outline());
}

/** Return the outline of the frame; undefined if no frame lists the sections. */
export function findOutline(): Outline | undefined {
  return getContext<Outline | undefined>(KEY);
}
