/** The colours that a mode is offered. */
export const COLORS: readonly [name: string, color: string][] = [
  ["Blue", "#5fa9f5"], ["Green", "#4ac38a"], ["Amber", "#e5ad3f"], ["Purple", "#c78bf2"],
  ["Orange", "#f08a5d"], ["Teal", "#3fc4c9"], ["Pink", "#f073a8"], ["Lime", "#a3c94a"],
];
