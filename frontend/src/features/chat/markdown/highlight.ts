/** Syntax highlighting of code blocks. */
import hljs from "highlight.js/lib/core";
import bash from "highlight.js/lib/languages/bash";
import diff from "highlight.js/lib/languages/diff";
import ini from "highlight.js/lib/languages/ini";
import javascript from "highlight.js/lib/languages/javascript";
import json from "highlight.js/lib/languages/json";
import python from "highlight.js/lib/languages/python";
import xml from "highlight.js/lib/languages/xml";
import yaml from "highlight.js/lib/languages/yaml";

export interface CodePiece {
  text: string;
  /** The highlight class, such as `keyword` or `string`; empty: plain text. */
  kind: string;
}
interface HighlightNode {
  scope?: string;
  children: (HighlightNode | string)[];
}

const LANGUAGES = { ini, json, python, bash, diff, yaml, xml, javascript };
for (const [name, language] of Object.entries(LANGUAGES)) hljs.registerLanguage(name, language);
const ALIASES: Record<string, keyof typeof LANGUAGES> = {
  toml: "ini",
  conf: "ini",
  py: "python",
  sh: "bash",
  shell: "bash",
  console: "bash",
  zsh: "bash",
  yml: "yaml",
  html: "xml",
  svg: "xml",
  patch: "diff",
  js: "javascript",
  ts: "javascript",
  typescript: "javascript",
  jsonc: "json",
};
/** The maximum number of characters to highlight. More would take longer than one frame. */
const MAX_LENGTH = 40_000;

export function highlightCode(code: string, language: string): CodePiece[] {
  const name = ALIASES[language] ?? language;
  if (!Object.hasOwn(LANGUAGES, name) || code.length > MAX_LENGTH)
    return [{ text: code, kind: "" }];
  const { _emitter } = hljs.highlight(code, { language: name, ignoreIllegals: true });
  const found: CodePiece[] = [];
  collectPieces((_emitter as unknown as { rootNode: HighlightNode }).rootNode, "", found);
  return found;
}

function collectPieces(node: HighlightNode, kind: string, found: CodePiece[]): void {
  for (const child of node.children) {
    if (typeof child !== "string") collectPieces(child, child.scope?.split(".")[0] || kind, found);
    else if (child) found.push({ text: child, kind });
  }
}
