/** Texts belong in `strings.ts`, one file for each feature, and not in components. */
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { parse } from "svelte/compiler";
import { expect, it } from "vitest";

const SRC = join(import.meta.dirname, "../src");

/** Sentences that components still contain. Only remove entries from this list. */
const ALLOWED: Record<string, string[]> = {
  // A command line is the same in every language.
  "features/plans/ConnectAgent.svelte": ["conductor mcp install --client"],
  "features/settings/AgentLines.svelte": ["conductor mcp install --client"],
};

/** Attributes whose value is never user-visible text. */
const NO_TEXT = /^(class|style|d|viewBox|points|transform|data-.*|autocomplete|rel)$/;

/** Return whether a text has three words or more and is no selector, path or style. */
function isSentence(text: string): boolean {
  const words = text.split(/\s+/).filter((word) => /^[“(]?\p{L}{2,}[”).,:;?!…]?$/u.test(word));
  return words.length >= 3 && !/[[\]{}=<>]|var\(/.test(text);
}

/** Collect the sentences in the markup of a component: texts and attributes without expressions. */
function sentencesOf(node: unknown, found: string[] = []): string[] {
  if (Array.isArray(node)) node.forEach((one) => sentencesOf(one, found));
  if (!node || typeof node !== "object" || !("type" in node)) return found;
  const { type, name, data, value } = node as {
    type: string;
    name?: string;
    data?: string;
    value?: unknown;
  };
  if (type === "StyleSheet" || type === "ImportDeclaration") return found;
  if (type === "Attribute" && NO_TEXT.test(name ?? "")) return found;
  const text =
    type === "Text"
      ? data
      : type === "Literal"
        ? value
        : type === "TemplateElement"
          ? (value as { cooked: string }).cooked
          : "";
  if (typeof text === "string" && isSentence(text)) found.push(text.trim().replace(/\s+/g, " "));
  for (const child of Object.values(node)) sentencesOf(child, found);
  return found;
}

it("no component contains a sentence", () => {
  const files = readdirSync(SRC, { recursive: true, encoding: "utf8" });
  const sentences: Record<string, string[]> = {};
  for (const file of files.filter((one) => one.endsWith(".svelte"))) {
    const { fragment, instance } = parse(readFileSync(join(SRC, file), "utf8"), { modern: true });
    const found = [...sentencesOf(instance), ...sentencesOf(fragment)];
    if (found.length) sentences[file] = found;
  }
  expect(sentences, "move these sentences to strings.ts").toEqual(ALLOWED);
});

/** Words in markup that are the same in every language, and no words: names, commands and units. */
const SAME_EVERYWHERE: Record<string, string[]> = {
  "features/plans/ConnectAgent.svelte": ["conductor mcp"],
  "features/providers/AddProvider.svelte": ["http:"],
  "features/providers/KeyField.svelte": ["MY_SERVER_KEY"],
  "features/providers/KeyStorage.svelte": ["CONDUCTOR_KEYS_PASSPHRASE"],
  "features/providers/ProviderCard.svelte": ["ms"],
  "features/servers/AddServer.svelte": ["uvx mcp-server-time", "time"],
  "features/settings/ConfigFile.svelte": ["config.toml"],
  "features/skills/SkillsPage.svelte": ["/skill"],
  "shell/ConnectionBanner.svelte": ["conductor run --browser"],
  "shell/TopBar.svelte": ["Conductor"],
};

/** Attributes that are shown or read aloud. */
const SHOWN = /^(aria-label|label|title|placeholder|text|hint|tip|note|help|alt|description)$/;

/** Collect the words in the markup of a component that are shown without an expression. */
function wordsOf(node: unknown, found: string[] = []): string[] {
  if (Array.isArray(node)) node.forEach((one) => wordsOf(one, found));
  if (!node || typeof node !== "object" || !("type" in node)) return found;
  const { type, name, data } = node as { type: string; name?: string; data?: string };
  if (type === "Text" && /\p{L}{2,}/u.test(data!)) found.push(data!.trim().replace(/\s+/g, " "));
  // In an expression, a literal is shown only if it is a branch, as in `{off ? "off" : ""}`.
  if (type === "ExpressionTag") branchesOf((node as { expression?: unknown }).expression, found);
  for (const [key, child] of Object.entries(node)) {
    const isHidden = type === "StyleDirective" || (type === "Attribute" && !SHOWN.test(name ?? ""));
    if (!isHidden && key !== "expression" && key !== "css") wordsOf(child, found);
  }
  return found;
}

function branchesOf(expression: unknown, found: string[]): void {
  const node = expression as {
    type: string;
    value?: unknown;
    consequent?: unknown;
    alternate?: unknown;
    right?: unknown;
  };
  if (typeof node.value === "string" && /\p{L}{2,}/u.test(node.value)) found.push(node.value);
  for (const branch of [node.consequent, node.alternate, node.right])
    if (branch) branchesOf(branch, found);
}

it("no component contains a word that is shown", () => {
  const files = readdirSync(SRC, { recursive: true, encoding: "utf8" });
  const words: Record<string, string[]> = {};
  for (const file of files.filter((one) => one.endsWith(".svelte"))) {
    const { fragment } = parse(readFileSync(join(SRC, file), "utf8"), { modern: true });
    const found = wordsOf(fragment);
    if (found.length) words[file] = [...new Set(found)];
  }
  expect(words, "move these words to strings.ts").toEqual(SAME_EVERYWHERE);
});
