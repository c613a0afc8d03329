/** The entries of the command palette, and the search in them. */
export { askItems } from "./ask";
export { buildPaletteItems } from "./commands";
export { searchPalette } from "./find";
