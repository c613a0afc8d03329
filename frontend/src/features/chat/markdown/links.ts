/** What a link or an image of a model may lead to. Pure. */

const SCHEMES = new Set(["http:", "https:", "mailto:"]);

/** Gives the address when it is one that may be offered; null: it is shown as text. */
export function safeLink(href: string): string | null {
  const url = parsed(href);
  return url && SCHEMES.has(url.protocol) ? url.href : null;
}

/** Gives where an address leads, for people. */
export function hostOf(href: string): string {
  const url = parsed(href);
  if (!url) return "";
  return url.protocol === "mailto:" ? url.pathname : url.host;
}

function parsed(href: string): URL | null {
  try {
    return new URL(href);
  } catch {
    return null; // a relative one leads nowhere here
  }
}

const NAMED: Record<string, string> = {
  amp: "&",
  lt: "<",
  gt: ">",
  quot: '"',
  apos: "'",
  nbsp: "\u00a0",
  hellip: "…",
  ndash: "–",
  mdash: "—",
  rarr: "→",
  larr: "←",
  times: "×",
  copy: "©",
  deg: "°",
};

/** Gives text with its character references resolved; it stays text. */
export function resolved(text: string): string {
  if (!text.includes("&")) return text;
  return text.replace(
    /&(?:#(\d{1,7})|#[xX]([\da-fA-F]{1,6})|([a-zA-Z]{2,8}));/g,
    (all, decimal?: string, hex?: string, name?: string) => {
      if (name) return NAMED[name] ?? all;
      const code = decimal ? Number(decimal) : parseInt(hex!, 16);
      return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : all;
    },
  );
}
