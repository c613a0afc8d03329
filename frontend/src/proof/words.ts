/** Plans in words: who asked, how risky, where they stand, and what to do. */
import type { ConfigPlan, PlanView, Requester } from "$lib/client/types";
import type { Tone } from "$ui";

const CALLERS: Record<Requester["caller"], string> = {
  window: "you, in the window",
  page: "you, on the page in a browser",
  cli: "the command line",
  chat: "the chat",
  mcp: "an agent over MCP",
  bare: "a program on the socket",
  http: "a program over HTTP",
  pad: "a pad",
};

export const isOpen = (plan: ConfigPlan): boolean =>
  plan.status === "pending" || plan.status === "approved";

export function whoAsked({ client, executable, caller }: Requester): string {
  if (!client && caller === "cli") return "The command line";
  return client || executable?.split(/[\\/]/).at(-1) || CALLERS[caller];
}

/** Gives how they reach Conductor, with what the system knows of the process. */
export function howAsked({ client, caller, pid, executable }: Requester): string {
  const name = client || (executable && caller !== "cli") ? CALLERS[caller] : "";
  return [name, executable ?? "", pid ? `process ${pid}` : ""].filter(Boolean).join(" · ");
}

const STATUS: Record<ConfigPlan["status"], [string, Tone]> = {
  pending: ["Waits for you", "waiting"],
  approved: ["Approved", "mode"],
  applied: ["Applied", "fired"],
  rejected: ["Discarded", "unmatched"],
  expired: ["Expired", "unmatched"],
  stale: ["Out of date", "unmatched"],
  failed: ["Failed", "failed"],
  unknown: ["Not known", "waiting"],
};
/** What the user made of a plan by hand: the reason with which it is turned down. */
export const EDITED = "edited by the user";
export const IN_PART = "applied in part";

export function statusLook(
  plan: ConfigPlan,
  standing?: PlanView["standing"],
): [label: string, tone: Tone] {
  if (plan.status === "rejected" && plan.reason?.endsWith(EDITED))
    return ["Edited by you", "unmatched"];
  if (plan.status === "rejected" && plan.reason?.endsWith(IN_PART))
    return ["Applied in part", "fired"];
  if (plan.status === "applied" && standing === "undone") return ["Undone", "unmatched"];
  return STATUS[plan.status];
}

/** Return the warnings without those of broken kept examples, which are shown themselves. */
export function withoutBroken({
  warnings,
  broken_examples,
}: Pick<ConfigPlan, "warnings" | "broken_examples">): string[] {
  return warnings.filter(
    (text) =>
      !broken_examples.some(
        ({ example }) =>
          text.startsWith("This breaks your example") && text.includes(`\`${example.name}\``),
      ),
  );
}

export interface Risk {
  level: "privileged" | "check" | "action" | "plain";
  label: string;
  why: string;
}

const examples = (count: number): string => (count === 1 ? "1 example" : `${count} examples`);

/** What the button says that applies a plan: with it the user agrees to what breaks. */
export const applyWords = (plan: ConfigPlan): string =>
  plan.broken_examples.length
    ? `Apply and break ${examples(plan.broken_examples.length)}`
    : "Apply";

export function riskOf(plan: ConfigPlan): Risk {
  if (plan.kind === "sysex")
    return {
      level: "privileged",
      label: "Sends SysEx",
      why: "It sends a message that can change the settings of your device.",
    };
  if (plan.privileged)
    return {
      level: "privileged",
      label: "Privileged",
      why:
        "It can run programs or reach beyond Conductor; nobody but you can approve it, here " +
        "or at a terminal.",
    };
  if (plan.kind === "action")
    return {
      level: "action",
      label: "Does it once",
      why: "It performs an action now and changes no setting.",
    };
  const conflicts = plan.overlaps.filter((one) => one.is_new && one.severity !== "info").length;
  if (plan.examples.some((one) => !one.passed))
    return {
      level: "check",
      label: "Example fails",
      why: "It does not do what its own examples expect.",
    };
  const broken = plan.broken_examples.length;
  if (broken)
    return {
      level: "check",
      label: `Breaks ${examples(broken)}`,
      why: "Examples that you kept would no longer hold.",
    };
  if (conflicts)
    return {
      level: "check",
      label: conflicts === 1 ? "1 conflict" : `${conflicts} conflicts`,
      why: "Mappings would get in each other's way.",
    };
  if (plan.warnings.length)
    return {
      level: "check",
      label: plan.warnings.length === 1 ? "1 warning" : `${plan.warnings.length} warnings`,
      why: "Read the warnings before you apply it.",
    };
  return {
    level: "plain",
    label: "Config",
    why: "It changes the config and nothing else; you can undo it.",
  };
}

const again = ({ requested_by }: ConfigPlan): string =>
  requested_by.caller === "cli"
    ? "Propose it again"
    : `Ask ${whoAsked(requested_by)} to propose it again`;

/** Says what to do with a plan that waits no longer; null when it is open. */
export function adviceOf(plan: ConfigPlan, standing?: PlanView["standing"]): string | null {
  switch (plan.status) {
    case "expired":
      return (
        "It was not answered in time, so nothing was done. " +
        `${again(plan)}${plan.kind === "config" ? ", or use its changes yourself" : ""}.`
      );
    case "stale":
      return (
        "The config changed after this was proposed, so its proof no longer holds and nothing " +
        `was done. ${again(plan)}, or use its changes yourself.`
      );
    case "unknown":
      return (
        "It was started, and how it ended is not known. Check whether it was done before you " +
        "ask again."
      );
    case "failed":
      return `${plan.reason ?? "It could not be done."} Ask for it again when that is mended.`;
    case "rejected":
      if (plan.reason?.endsWith(EDITED))
        return "You made its changes yourself, as you wanted them.";
      if (plan.reason?.endsWith(IN_PART))
        return "You took some of its changes. The others were not made.";
      return `It was ${plan.reason ?? "rejected"}. Nothing was done.`;
    case "applied":
      if (standing === "undone") return "It was applied, and then undone.";
      if (standing === "changed_since")
        return "It was made part of the config, which was changed again since.";
      return plan.kind === "config" ? "It was made part of the config." : "It was done.";
    default:
      return null;
  }
}

/** Pending first, then the newest. */
export function inOrder(plans: readonly ConfigPlan[]): ConfigPlan[] {
  return [...plans].sort(
    (a, b) => Number(isOpen(b)) - Number(isOpen(a)) || b.created_at.localeCompare(a.created_at),
  );
}

export function matches(plan: ConfigPlan, text: string): boolean {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const haystack = [
    plan.description,
    whoAsked(plan.requested_by),
    statusLook(plan)[0],
    riskOf(plan).label,
    ...plan.changes.map((one) => one.description),
  ]
    .join(" ")
    .toLowerCase();
  return words.every((word) => haystack.includes(word));
}

export function ago(iso: string, now = Date.now()): string {
  const seconds = Math.max(0, (now - Date.parse(iso)) / 1000);
  if (seconds < 60) return "just now";
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ago`;
  if (seconds < 86_400) return `${Math.floor(seconds / 3600)} h ago`;
  return new Date(iso).toLocaleDateString();
}
