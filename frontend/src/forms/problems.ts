/** Errors of fields in the words of the form. The backend words them for the config file. Pure. */
import type { ActionInput } from "$lib/client/types";
import { translateSentence } from "$language/sentences";
import { buildArguments } from "./arguments";
import { joinPath, type Choices } from "./context";
import { fieldName } from "./names";
import { isPlainObject } from "./schema";
import { strings } from "./strings";

/** The words for the right form of a text, by the name of its field. */
const FORMS: Readonly<Record<string, () => string>> = {
  control: () => strings.chooseAControl,
  address: () => strings.beginWithASlash,
};

/** Return where an error is shown and how it is worded there. */
export function describeProblem(path: string, message: string): [path: string, message: string] {
  if (/^behaviour `\w+` needs a `mode`$/.test(message))
    return [joinPath(path, "mode"), strings.chooseAMode];
  if (/^must have at least 1 item$/.test(message)) return [path, strings.addAtLeastOne];
  if (/^(must have at least 1 character|is missing)$/.test(message))
    return [path, strings.fillThisIn];
  if (message.startsWith("does not have the right form"))
    return [path, FORMS[path.split(".").at(-1) ?? ""]?.() ?? strings.wrongForm];
  return [path, translateSentence(message)];
}

/**
 * Return the errors of the required arguments that an action leaves out when it calls tools, by
 * field path. The backend cannot know them, because a server may be off when the config is loaded.
 */
export function missingArguments(
  action: ActionInput | null,
  servers: Choices["servers"],
): Record<string, string> {
  const found: Record<string, string> = {};
  collect(action, "action", servers, found);
  return found;
}

/** Return the names of the fields with errors, as the form shows them. */
export function namesOfFields(
  errors: Readonly<Record<string, string>>,
  mapping: { trigger: unknown; action: unknown },
): string {
  const names = Object.keys(errors).map((path) => {
    let value: unknown = mapping;
    let kind = "";
    let operation: unknown;
    let name = path;
    for (const part of path.split(".")) {
      if (isPlainObject(value)) {
        if (typeof value["type"] === "string") kind = value["type"];
        operation = value["operation"];
        name = part;
        value = value[part];
      } else if (Array.isArray(value)) value = value[Number(part)];
    }
    return name === "args" ? path : fieldName(name, kind, operation);
  });
  return [...new Set(names)].join(", ");
}

function collect(
  value: unknown,
  path: string,
  servers: Choices["servers"],
  found: Record<string, string>,
): void {
  if (Array.isArray(value))
    return value.forEach((item, index) => collect(item, joinPath(path, index), servers, found));
  if (!isPlainObject(value)) return;
  if (value["type"] !== "Plugin") {
    for (const [name, item] of Object.entries(value))
      collect(item, joinPath(path, name), servers, found);
    return;
  }
  const tool = servers
    .find((one) => one.name === value["server"])
    ?.tools.find((one) => one.name === value["tool"]);
  if (!tool) return;
  const args = isPlainObject(value["args"]) ? value["args"] : {};
  for (const { name, required } of buildArguments(tool.parameters, args))
    if (required && args[name] === undefined)
      found[joinPath(joinPath(path, "args"), name)] = strings.toolNeedsArgument;
}
