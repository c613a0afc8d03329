/** Converts a gesture, which is stored as an event script, into readable steps. Pure. */
import { formatAtMost } from "$language/format";
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
  /** Details of the step, such as its device and velocity: `at velocity 90 on pads`. */
  details: string;
  /** The details without the velocity, which a press and its release share: `on pads`. */
  source: string;
}

/** The names of controls, by class and number, such as `note 36`. */
type Names = ReadonlyMap<string, string>;

/** The lines of a script that come before its input. */
const CIRCUMSTANCES = ["mode", "app", "wait"];

const OPTION_LABELS: Record<string, (value: string, names: Names) => string> = {
  vel: (value) => strings.atVelocity(value),
  dev: (value) => strings.onSource(value),
  ch: (value) => strings.channelShort(value),
  note: (value, names) => strings.ofNote(note(value, names)),
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
          length.ms === null
            ? strings.tapControl(note(line.args[0]!, names))
            : strings.holdControl(note(line.args[0]!, names), formatDuration(length.ms)),
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
 * the release. A press at the end of the only input can last without a release.
 */
function pressLength(
  lines: readonly ScriptLine[],
  at: number,
): { ms: number | null; lines: number } | null {
  const press = lines[at]!;
  if (press.word !== "down" || !press.args[0]) return null;
  const wait = lines[at + 1]?.word === "wait" ? lines[at + 1]! : null;
  const release = lines[at + (wait ? 2 : 1)];
  const isOnlyInput = !lines.slice(0, at).some(({ word }) => !CIRCUMSTANCES.includes(word));
  if (wait && !release && isOnlyInput) return { ms: Number(wait.args[0]), lines: 2 };
  if (
    release?.word !== "up" ||
    release.args[0] !== press.args[0] ||
    release.source !== press.source
  )
    return null;
  return { ms: wait ? Number(wait.args[0]) : null, lines: wait ? 3 : 2 };
}

function parseLine(text: string, names: Names): ScriptLine {
  const [word = "", ...rest] = text.split(/\s+/);
  if (word === "app" || word === "mode" || word === "osc")
    return { word, args: rest, details: "", source: "" };
  const args: string[] = [];
  const detailWords: string[] = [];
  const sourceWords: string[] = [];
  for (let index = 0; index < rest.length; index++) {
    const name = rest[index]!;
    const describe = OPTION_LABELS[name];
    const value = rest[index + 1];
    if (!describe || value === undefined) {
      args.push(name);
      continue;
    }
    index += 1;
    detailWords.push(describe(value, names));
    if (name !== "vel") sourceWords.push(describe(value, names));
  }
  return { word, args, details: detailWords.join(" "), source: sourceWords.join(" ") };
}

function parseStep({ word, args, details }: ScriptLine, names: Names): GestureStep {
  const [first = "", second = ""] = args;
  const input = (text: string): GestureStep => ({ kind: "input", text: joinWords(text, details) });
  switch (word) {
    case "mode":
      return { kind: "circumstance", text: strings.inMode(args.join(" ")) };
    case "app":
      return {
        kind: "circumstance",
        text: strings.appInForeground(args.filter((one) => one !== "-").join(" ")),
      };
    case "wait":
      return { kind: "wait", text: formatDuration(Number(first)) };
    case "down":
      return input(strings.pressControl(note(first, names)));
    case "up":
      return input(strings.releaseControl(note(first, names)));
    case "tap":
      return input(strings.tapControl(note(first, names)));
    case "cc":
      return input(`${withName(`cc ${first}`, `CC ${first}`, names)} = ${second}`);
    case "nrpn":
    case "rpn":
      return input(
        `${withName(`${word} ${first}`, `${word.toUpperCase()} ${first}`, names)} = ${second}`,
      );
    case "bend":
      return input(strings.bendTo(first));
    case "button":
      return input(
        (second === "up"
          ? strings.releaseControl
          : second === "down"
            ? strings.pressControl
            : strings.tapControl)(withName(`button ${first}`, strings.buttonNamed(first), names)),
      );
    case "axis":
      return input(strings.moveTo(withName(`axis ${first}`, first, names), second));
    case "trigger":
      return input(strings.pullTo(withName(`gamepad_trigger ${first}`, first, names), second));
    case "program":
      return input(strings.programNumber(first));
    case "pressure":
      return input(strings.pressureOf(first));
    default:
      return input([word, ...args].join(" "));
  }
}

const joinWords = (...parts: string[]): string => parts.filter(Boolean).join(" ");

function note(number: string, names: Names): string {
  if (!/^\d{1,3}$/.test(number)) return number;
  const key = `note ${number}`;
  return names.has(key)
    ? withName(key, strings.noteNumber(number), names)
    : strings.noteNumber(`${number} (${noteName(Number(number))})`);
}

/** Return the name of a control with its number, or only its number if it has no name. */
function withName(key: string, number: string, names: Names): string {
  const name = names.get(key);
  return name ? strings.named(name, number) : number;
}

function formatDuration(ms: number): string {
  if (!Number.isFinite(ms)) return "";
  return ms >= 1000 ? `${formatAtMost(ms / 1000, 3)} s` : `${formatAtMost(ms, 3)} ms`;
}
