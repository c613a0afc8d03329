import { readFileSync, readdirSync } from "node:fs";
import { join, relative } from "node:path";
import { expect, it } from "vitest";

const SRC = join(import.meta.dirname, "../src");
const FILES = readdirSync(SRC, { recursive: true, encoding: "utf8" }).filter((file) =>
  /\.(ts|svelte)$/.test(file),
);

/**
 * The folders from which each folder may import, besides itself. `lib` imports only types from
 * `ui`.
 */
const MAY: Record<string, string[]> = {
  language: [],
  ui: ["language"],
  lib: ["language", "ui"],
  forms: ["language", "ui", "lib"],
  proof: ["language", "ui", "lib", "forms"],
  features: ["language", "ui", "lib", "forms", "proof"],
  views: ["language", "ui", "lib", "forms", "proof", "features"],
  shell: ["language", "ui", "lib", "forms", "proof", "views"],
};

function imports(file: string): string[] {
  const text = readFileSync(join(SRC, file), "utf8");
  return [...text.matchAll(/(?:from|import)\s+"([^"]+)"/g)].map((found) => found[1]!);
}

function roomOf(target: string, file: string): string | null {
  if (target.startsWith("$")) return target.slice(1).split("/")[0]!;
  if (!target.startsWith(".")) return null;
  return relative(SRC, join(SRC, file, "..", target)).split("/")[0]!;
}

it("a folder imports only from the tiers below", () => {
  const wrong = FILES.flatMap((file) => {
    const room = file.split("/")[0]!;
    const may = MAY[room];
    if (!may || !file.includes("/")) return [];
    return imports(file)
      .map((target) => [target, roomOf(target, file)] as const)
      .filter(([, other]) => other && other !== room && !may.includes(other))
      .map(([target]) => `${file} imports ${target}`);
  });
  expect(wrong).toEqual([]);
});

it("a feature does not import another feature", () => {
  const wrong = FILES.filter((file) => file.startsWith("features/")).flatMap((file) => {
    const own = file.split("/")[1];
    return imports(file)
      .map((target) =>
        target.startsWith("$features/")
          ? target.split("/")[1]
          : target.startsWith(".")
            ? relative(SRC, join(SRC, file, "..", target)).split("/")[1]
            : own,
      )
      .filter((other, index) => other !== own && roomOf(imports(file)[index]!, file) === "features")
      .map((other) => `${file} imports from features/${other}`);
  });
  expect(wrong).toEqual([]);
});

it("nothing from outside becomes HTML, and nothing is fetched from elsewhere", () => {
  const wrong = FILES.filter((file) => {
    const text = readFileSync(join(SRC, file), "utf8");
    const foreign = [
      /\{@html|\.(inner|outer)HTML|insertAdjacentHTML|\beval\(|new Function\(/,
      // The address of this computer and examples are only shown, for other programs to call.
      /https?:\/\/(?!www\.w3\.org|127\.0\.0\.1[:/]|[\w-]+\.example\b)/,
    ];
    const checked = text.replaceAll(/https\?:|"https:"|'https:'/g, "");
    return foreign.some((pattern) => pattern.test(checked));
  });
  expect(wrong.filter((file) => !file.endsWith("generated.ts"))).toEqual([]);
});

it("icons come one by one, not from the barrel", () => {
  expect(FILES.filter((file) => imports(file).includes("@lucide/svelte"))).toEqual([]);
});

it("no file is longer than 500 lines", () => {
  const long = FILES.filter((file) => !file.endsWith("generated.ts")).filter(
    (file) => readFileSync(join(SRC, file), "utf8").split("\n").length > 500,
  );
  expect(long).toEqual([]);
});

it("no line is longer than 100 characters", () => {
  const long = FILES.filter((file) => !file.endsWith("generated.ts")).flatMap((file) =>
    readFileSync(join(SRC, file), "utf8")
      .split("\n")
      .flatMap((line, index) => (line.length > 100 ? [`${file}:${index + 1}`] : [])),
  );
  expect(long).toEqual([]);
});

it("no style depends on what the whole window has, or on any element", () => {
  // Each new element of any view would then make the browser restyle all others.
  const styles = readdirSync(SRC, { recursive: true, encoding: "utf8" }).filter((file) =>
    /\.(css|svelte)$/.test(file),
  );
  const wrong = styles.filter((file) =>
    /\b(?:body|html)[^\s,{>]*:has\(|:has\(\s*>?\s*\*/.test(readFileSync(join(SRC, file), "utf8")),
  );
  expect(wrong).toEqual([]);
});
