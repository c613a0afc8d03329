/** Validation of links and images in the text of a model. */

const SCHEMES = new Set(["http:", "https:", "mailto:"]);

/** Return the address if its scheme is safe for a link, otherwise null. */
export function safeLink(href: string): string | null {
  const url = parseUrl(href);
  return url && SCHEMES.has(url.protocol) ? url.href : null;
}

/** Return the host of an address, or the recipient of a mailto address. */
export function hostOf(href: string): string {
  const url = parseUrl(href);
  if (!url) return "";
  return url.protocol === "mailto:" ? url.pathname : url.host;
}

function parseUrl(href: string): URL | null {
  try {
    return new URL(href);
  } catch {
    return null; // a relative address has no base here
  }
}

const NAMED_REFERENCES: Record<string, string> = {
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

/** Decode HTML character references such as `&amp;`. The result is plain text, not HTML. */
export function decodeReferences(text: string): string {
  if (!text.includes("&")) return text;
  return text.replace(
    /&(?:#(\d{1,7})|#[xX]([\da-fA-F]{1,6})|([a-zA-Z]{2,8}));/g,
    (all, decimal?: string, hex?: string, name?: string) => {
      if (name) return NAMED_REFERENCES[name] ?? all;
      const code = decimal ? Number(decimal) : parseInt(hex!, 16);
      return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : all;
    },
  );
}
