/** Converts a gesture, which is stored as an event script, into readable steps. Pure. */
import type { ControlLabel } from "$lib/client/types";
import { noteName } from "$forms/names";
import { strings } from "./strings";

export interface GestureStep {
  kind: "circumstance" | "wait" | "input";
  text: string;
}

interface ScriptLine {
  word: string;
  args: string[];
  /** Details of the step, such as its device and velocity: `on pads`. */
  details: string;
}

/** The names of controls, by class and number, such as `note 36`. */
type Names = ReadonlyMap<string, string>;

const OPTION_LABELS: Record<string, (value: string, names: Names) => string> = {
  vel: (value) => strings.atVelocity(value),
  dev: (value) => strings.onSource(value),
  ch: (value) => `ch ${value}`,
  note: (value, names) => `of ${note(value, names)}`,
};

/**
 * Parse a script such as `mode Live; wait 1000; down 36; wait 500; up 36` into steps.
 * @param labels the names of the controls in the script.
 */
export function parseSteps(script: string, labels: readonly ControlLabel[] = []): GestureStep[] {
  const names: Names = new Map(labels.map(({ control, name }) => [control, name]));
  const lines = script
    .split(/[;\n]/)
    .map((part) => part.trim())
    .filter(Boolean)
    .map((part) => parseLine(part, names));
  const steps: GestureStep[] = [];
  for (let index = 0; index < lines.length; index++) {
    const line = lines[index]!;
    const length = pressLength(lines, index);
    if (length) {
      steps.push({
        kind: "input",
        text: joinWords(
          length.ms === null ? "tap" : "hold",
          note(line.args[0]!, names),
          length.ms === null ? "" : `for ${formatDuration(length.ms)}`,
          line.details,
        ),
      });
      index += length.lines - 1;
    } else if (line.word !== "wait" || steps.some((step) => step.kind === "input")) {
      // A wait before the first input is not part of the gesture.
      steps.push(parseStep(line, names));
    }
  }
  return steps;
}

/**
 * Return how long a press lasts and how many lines it takes; null if another event comes before
 * the release.
 */
function pressLength(
  lines: readonly ScriptLine[],
  at: number,
): { ms: number | null; lines: number } | null {
  const press = lines[at]!;
  if (press.word !== "down" || !press.args[0]) return null;
  const wait = lines[at + 1]?.word === "wait" ? lines[at + 1]! : null;
  const release = lines[at + (wait ? 2 : 1)];
  if (
    release?.word !== "up" ||
    release.args[0] !== press.args[0] ||
    sourceOf(release) !== sourceOf(press)
  )
    return null;
  return { ms: wait ? Number(wait.args[0]) : null, lines: wait ? 3 : 2 };
}

const sourceOf = (line: ScriptLine): string => line.details.replace(/at velocity \d+ ?/, "").trim();

function parseLine(text: string, names: Names): ScriptLine {
  const [word = "", ...rest] = text.split(/\s+/);
  if (word === "app" || word === "mode" || word === "osc") return { word, args: rest, details: "" };
  const args: string[] = [];
  const detailWords: string[] = [];
  for (let index = 0; index < rest.length; index++) {
    const option = OPTION_LABELS[rest[index]!];
    if (option && rest[index + 1] !== undefined) detailWords.push(option(rest[++index]!, names));
    else args.push(rest[index]!);
  }
  return { word, args, details: detailWords.join(" ") };
}

function parseStep({ word, args, details }: ScriptLine, names: Names): GestureStep {
  const [first = "", second = ""] = args;
  const input = (text: string): GestureStep => ({ kind: "input", text: joinWords(text, details) });
  switch (word) {
    case "mode":
      return { kind: "circumstance", text: `in mode ${args.join(" ")}` };
    case "app":
      return {
        kind: "circumstance",
        text: strings.appInForeground(args.filter((one) => one !== "-").join(" ")),
      };
    case "wait":
      return { kind: "wait", text: formatDuration(Number(first)) };
    case "down":
      return input(`press ${note(first, names)}`);
    case "up":
      return input(`release ${note(first, names)}`);
    case "tap":
      return input(`tap ${note(first, names)}`);
    case "cc":
      return input(`${withName(`cc ${first}`, `CC ${first}`, names)} = ${second}`);
    case "nrpn":
    case "rpn":
      return input(
        `${withName(`${word} ${first}`, `${word.toUpperCase()} ${first}`, names)} = ${second}`,
      );
    case "bend":
      return input(`bend to ${first}`);
    case "button":
      return input(
        `${second === "up" ? "release" : second === "down" ? "press" : "tap"} ` +
          withName(`button ${first}`, `button ${first}`, names),
      );
    case "axis":
      return input(`move ${withName(`axis ${first}`, first, names)} to ${second}`);
    case "trigger":
      return input(`pull ${withName(`gamepad_trigger ${first}`, first, names)} to ${second}`);
    case "program":
    case "pressure":
      return input(`${word} ${first}`);
    default:
      return input([word, ...args].join(" "));
  }
}

const joinWords = (...parts: string[]): string => parts.filter(Boolean).join(" ");

function note(number: string, names: Names): string {
  if (!/^\d{1,3}$/.test(number)) return number;
  const key = `note ${number}`;
  return names.has(key) ? withName(key, key, names) : `${key} (${noteName(Number(number))})`;
}

/** Return the name of a control with its number, or only its number if it has no name. */
function withName(key: string, number: string, names: Names): string {
  const name = names.get(key);
  return name ? strings.named(name, number) : number;
}

function formatDuration(ms: number): string {
  if (!Number.isFinite(ms)) return "";
  return ms >= 1000 ? `${Number((ms / 1000).toFixed(3))} s` : `${Number(ms.toFixed(3))} ms`;
}
