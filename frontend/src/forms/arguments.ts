/** The arguments of a tool as rows of a form, with the kinds of value that each accepts. Pure. */
import { isPlain, type Plain } from "./schema";
import { strings } from "./strings";

/** A kind of value that an argument can have in the form; `none` means not set. */
export type Way = "none" | "text" | "number" | "boolean" | "choice" | "json" | "control";

/** A row of the form: one argument of the tool. */
export interface Argument {
  name: string;
  help: string;
  required: boolean;
  /** The kinds of value that the argument accepts. */
  ways: Way[];
  /** The possible texts, if the argument is a choice. */
  options: string[];
  /** Whether a number must be an integer. */
  whole: boolean;
  min?: number;
  max?: number;
  /** Whether the tool lists the argument. */
  known: boolean;
}
interface Field {
  type?: string | string[];
  description?: string;
  enum?: unknown[];
  const?: unknown;
  anyOf?: Field[];
  oneOf?: Field[];
  minimum?: number;
  maximum?: number;
}

const ANY: Way[] = ["text", "number", "boolean", "json", "control"];
const NAMES: Record<Way, string> = {
  none: strings.notSet,
  text: strings.text,
  number: strings.number,
  boolean: strings.yesOrNo,
  choice: strings.oneOf,
  json: strings.json,
  control: strings.fromTheControl,
};

/** Return a row for each parameter of the tool and for each argument that is not listed there. */
export function buildArguments(parameters: Plain | null, args: Plain): Argument[] {
  const properties = isPlain(parameters?.["properties"]) ? parameters["properties"] : {};
  const required = Array.isArray(parameters?.["required"]) ? parameters["required"] : [];
  const known = Object.entries(properties).map(([name, field]) =>
    argument(name, isPlain(field) ? (field as Field) : {}, required.includes(name)),
  );
  const others = Object.keys(args)
    .filter((name) => !(name in properties))
    .map((name): Argument => ({
      name,
      help: parameters ? strings.argumentNotListed : "",
      required: false,
      ways: ANY,
      options: [],
      whole: false,
      known: false,
    }));
  return [
    ...known.filter((one) => one.required),
    ...known.filter((one) => !one.required),
    ...others,
  ];
}

function argument(name: string, field: Field, required: boolean): Argument {
  const inner = [...(field.anyOf ?? []), ...(field.oneOf ?? [])].filter(
    (one) => one.type !== "null",
  );
  const only = inner.length === 1 ? { ...field, ...inner[0] } : field;
  const options = (only.enum ?? (only.const === undefined ? [] : [only.const])).filter(
    (one) => one !== null,
  );
  const texts = options.length > 0 && options.every((one) => typeof one === "string");
  const ways = texts ? (["choice"] satisfies Way[]) : allowedWays(only.type, inner.length > 1);
  return {
    name,
    help: field.description ?? only.description ?? "",
    required,
    ways,
    options: texts ? options.map(String) : [],
    whole: only.type === "integer",
    ...(only.minimum === undefined ? {} : { min: only.minimum }),
    ...(only.maximum === undefined ? {} : { max: only.maximum }),
    known: true,
  };
}

function allowedWays(type: string | string[] | undefined, several: boolean): Way[] {
  const types = (Array.isArray(type) ? type : [type]).filter((one) => one !== "null");
  if (several || types.length !== 1) return ANY;
  switch (types[0]) {
    case "string":
      return ["text"];
    case "number":
    case "integer":
      return ["number", "control"];
    case "boolean":
      return ["boolean"];
    case "array":
    case "object":
      return ["json"];
    default:
      return ANY;
  }
}

/** Return the display name of a kind of value. */
export const wayName = (way: Way): string => NAMES[way];

/** Return whether an argument takes its value from the control. */
export function isFromControl(value: unknown): value is Plain {
  return isPlain(value) && (value["from"] === "value" || value["from"] === "steps");
}

/** Return the kind of value that an argument currently has. */
export function detectWay(value: unknown, ways: readonly Way[]): Way {
  if (value === undefined) return "none";
  if (isFromControl(value)) return "control";
  if (typeof value === "boolean") return "boolean";
  if (typeof value === "number") return "number";
  if (typeof value === "string") return ways.includes("choice") ? "choice" : "text";
  return "json";
}

/** Return the initial value of a kind; undefined to remove the argument. */
export function initialArgument(way: Way, { options, min, max }: Argument): unknown {
  switch (way) {
    case "none":
      return undefined;
    case "text":
      return "";
    case "number":
      return min ?? 0;
    case "boolean":
      return true;
    case "choice":
      return options[0] ?? "";
    case "json":
      return {};
    case "control":
      return {
        from: "value",
        ...(min === undefined ? {} : { min }),
        ...(max === undefined ? {} : { max }),
      };
  }
}
