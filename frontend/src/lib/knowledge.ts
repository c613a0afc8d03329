/** Display texts for knowledge chunks: domain, relevance, and why a search found them. Pure. */
import { localized } from "$language/language.svelte";
import type { Chunk, KnowledgeSource, KnowledgeStatus } from "./client/types";
import { strings } from "./strings";

export type Domain = Chunk["domain"];

export const DOMAINS: readonly { id: Domain; name: string; about: string }[] = localized(() => [
  { id: "midi", name: strings.midi, about: strings.aboutMidi },
  { id: "osc", name: strings.osc, about: strings.aboutOsc },
  { id: "artnet", name: strings.artNet, about: strings.aboutArtNet },
  { id: "hid", name: strings.hid, about: strings.aboutHid },
  { id: "platform", name: strings.platforms, about: strings.aboutPlatforms },
  { id: "device", name: strings.devices, about: strings.aboutDevices },
  { id: "conductor", name: strings.conductor, about: strings.aboutConductor },
  { id: "manual", name: strings.manuals, about: strings.aboutManuals },
]);
const PLATFORMS: Record<string, string> = localized(() => ({
  macos: "macOS",
  windows: strings.windows,
  linux: strings.linux,
  all: strings.allSystems,
}));

export const domainName = (domain: Domain): string =>
  DOMAINS.find((one) => one.id === domain)?.name ?? domain;
/** Return the CSS colour of a domain. */
export const domainColor = (domain: Domain): string => `var(--domain-${domain})`;
export const platformName = (platform: string | null): string =>
  PLATFORMS[platform ?? "all"] ?? String(platform);

export type Relevance = "strong" | "fair" | "weak";

/** Classify a relevance from 0 to 1 as strong, fair or weak. */
export function classifyRelevance(score: number): Relevance {
  return score >= 0.75 ? "strong" : score >= 0.45 ? "fair" : "weak";
}

/** Split a heading path into its last heading and the joined headings above it. */
export function splitHeading(path: readonly string[]): { title: string; above: string } {
  return { title: path.at(-1) ?? "", above: path.slice(0, -1).join(" › ") };
}

export interface Piece {
  text: string;
  /** Whether the piece matches a search word. */
  hit: boolean;
}

const WORD_PATTERN = /0x[0-9a-f]+|[\p{L}\p{N}]+/giu;
const MIN_STEM_LENGTH = 3;

/** Split a text at the words that match one of the stems, such as `veloc`. */
export function splitAtMatches(text: string, stems: readonly string[]): Piece[] {
  const wanted = stems.map((stem) => stem.toLowerCase()).filter(Boolean);
  const found: Piece[] = [];
  let from = 0;
  for (const word of wanted.length ? text.matchAll(WORD_PATTERN) : []) {
    if (!wanted.some((stem) => matchesStem(word[0].toLowerCase(), stem))) continue;
    if (word.index > from) found.push({ text: text.slice(from, word.index), hit: false });
    found.push({ text: word[0], hit: true });
    from = word.index + word[0].length;
  }
  if (from < text.length) found.push({ text: text.slice(from), hit: false });
  return found;
}

function matchesStem(word: string, stem: string): boolean {
  if (word === stem) return true;
  if (/\d/.test(stem)) return false;
  // A stem can end in "i" where the word ends in "y": `happi` is the stem of happy.
  const start = stem.replace(/i$/, "");
  return (
    start.length >= MIN_STEM_LENGTH && word.startsWith(start) && word.length - start.length <= 5
  );
}

export interface MatchExplanation {
  /** The matching words of the query, as the user typed them. */
  written: string[];
  /** The words of the text that matched as synonyms. */
  meant: string[];
}

/**
 * Return the query words and the words of the text that belong to the stems a search matched. All
 * are whole words.
 * @param text the text that was found
 */
export function explainMatch(
  stems: readonly string[],
  query: string,
  text: string,
): MatchExplanation {
  const found: MatchExplanation = { written: [], meant: [] };
  for (const stem of stems) {
    const written = findWord(query, stem);
    // The words by which a section is found include some that its text does not have.
    const word = written ?? findWord(text, stem)?.toLowerCase();
    const words = written ? found.written : found.meant;
    if (word && !words.includes(word)) words.push(word);
  }
  return found;
}

/** Return the first word of a text with a stem. */
const findWord = (text: string, stem: string): string | undefined =>
  [...text.matchAll(WORD_PATTERN)].find(([word]) =>
    matchesStem(word.toLowerCase(), stem.toLowerCase()),
  )?.[0];

const MAX_EXCERPT_LENGTH = 160;

/** Return the beginning of a Markdown text without marks, and without code if it has words. */
export function excerptOf(markdown: string): string {
  const plain = (text: string): string =>
    text
      .replace(/^\s*[-*] |^[-|: ]+$|[#|]/gm, " ")
      .replace(/[*`]/g, "")
      .replace(/\s+/g, " ")
      .trim();
  const words = plain(markdown.replace(/^```.*?^```$/gms, " "));
  return (words || plain(markdown.replace(/^```.*$/gm, " "))).slice(0, MAX_EXCERPT_LENGTH);
}

export function describeIndexStatus({ built, chunks, domains }: KnowledgeStatus): string {
  if (!built) return strings.indexNotBuilt;
  const count = Object.values(domains).filter((some) => some > 0).length;
  return strings.indexSummary(chunks, count);
}

export interface SourceGroup {
  /** The id that enables or disables the whole group. */
  id: string;
  domain: Domain;
  title: string;
  sources: KnowledgeSource[];
  chunks: number;
  /** The number of enabled sources in the group. */
  on: number;
}

const GROUP_TITLES: Record<Domain, string> = localized(() => ({
  midi: strings.midiSourceGroup,
  osc: strings.oscSourceGroup,
  artnet: strings.artNetSourceGroup,
  hid: strings.hidSourceGroup,
  platform: strings.platformSourceGroup,
  device: strings.deviceSourceGroup,
  conductor: strings.conductorSourceGroup,
  manual: strings.manualSourceGroup,
}));

/** Group the sources by domain, and those of the platform domain by platform as well. */
export function sourceGroups(sources: readonly KnowledgeSource[]): SourceGroup[] {
  return DOMAINS.flatMap(({ id: domain }) => {
    const inDomain = sources.filter((one) => one.domain === domain);
    if (domain !== "platform")
      return inDomain.length ? [buildGroup(domain, domain, GROUP_TITLES[domain], inDomain)] : [];
    return Object.keys(PLATFORMS).flatMap((platform) => {
      const some = inDomain.filter((one) => (one.platform ?? "all") === platform);
      return some.length
        ? [
            buildGroup(
              `platform:${platform}`,
              domain,
              `${GROUP_TITLES.platform} (${platformName(platform)})`,
              some,
            ),
          ]
        : [];
    });
  });
}

function buildGroup(
  id: string,
  domain: Domain,
  title: string,
  sources: KnowledgeSource[],
): SourceGroup {
  return {
    id,
    domain,
    title,
    sources,
    chunks: sources.reduce((sum, one) => sum + one.chunks, 0),
    on: sources.filter((one) => one.enabled).length,
  };
}
