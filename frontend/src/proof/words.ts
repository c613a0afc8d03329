/** Describes plans: requester, status, risk and advice. */
import { describeChange } from "$forms/changes/settings";
import { translateSentence } from "$language/sentences";
import { formatDate } from "$language/format";
import { localized } from "$language/language.svelte";
import type { ConfigPlan, Overlap, PlanView, Requester } from "$lib/client/types";
import { clientName } from "$lib/agent-clients";
import { clock } from "$lib/clock.svelte";
import { isByUser, isInTerminal, isTypedInChat } from "$lib/requesters";
import { withNotes, type Tone } from "$ui";
import { strings } from "./strings";

const CALLERS: Record<Requester["caller"], string> = localized(() => ({
  window: strings.youInWindow,
  page: strings.youInBrowser,
  cli: strings.theCommandLine,
  chat: strings.theAssistant,
  mcp: strings.agentOverMcp,
  bare: strings.programOnSocket,
  http: strings.programOverHttp,
  remote: strings.agentOnOtherComputer,
  pad: strings.aControl,
}));

/** Return whether a plan can still be applied. */
export const isOpen = (plan: ConfigPlan): boolean =>
  plan.status === "pending" || plan.status === "approved";

/** Return the name of a requester: the user, the client, its program, or a general term. */
export function requesterName(requester: Requester): string {
  const { client, executable, caller } = requester;
  if (isTypedInChat(requester)) return strings.youInChat;
  if (caller === "window" || caller === "page") return CALLERS[caller];
  if (caller === "cli")
    return isInTerminal(requester) ? strings.youInTerminal : strings.commandLineLabel;
  // A client such as `openai/` names only the provider.
  return (
    clientName(client?.replace(/\/$/, "") ?? "") ||
    executable?.split(/[\\/]/).at(-1) ||
    CALLERS[caller]
  );
}

/** Return the name of a requester inside of a sentence. */
const nameInSentence = (requester: Requester): string =>
  requester.caller === "cli" && !isInTerminal(requester) ? CALLERS.cli : requesterName(requester);

/** Describe how a requester is connected, with its executable and process id if known. */
export function describeConnection(requester: Requester): string {
  const { client, caller, pid, executable } = requester;
  if (caller === "window" || caller === "page" || isTypedInChat(requester)) return "";
  const name = caller !== "cli" && (client || executable) ? CALLERS[caller] : "";
  return [name, executable ?? "", pid ? strings.process(pid) : ""].filter(Boolean).join(" · ");
}

const STATUS_BADGES: Record<ConfigPlan["status"], [string, Tone]> = localized(() => ({
  pending: [strings.pending, "waiting"],
  approved: [strings.approvedLabel, "mode"],
  applied: [strings.applied, "fired"],
  rejected: [strings.discardedLabel, "unmatched"],
  expired: [strings.expiredLabel, "unmatched"],
  stale: [strings.outOfDate, "unmatched"],
  failed: [strings.failedLabel, "failed"],
  unknown: [strings.unknownLabel, "waiting"],
}));
/** The user in a reason of the backend. */
const USER = "the user";
/** The end of the rejection reason of a plan whose changes the user saved in edited form. */
const EDITED_REASON = "edited by the user";
const PARTLY_EDITED = /(\d+) of (\d+) changes edited by the user$/;
/** The rejection reason of partly applied plans in earlier versions of Conductor. */
const PARTIAL_REASON = "applied in part";

/** The start of the warnings of the backend about broken saved examples. */
const BREAKS_EXAMPLE = "This breaks your example";

/** Return whether the user applied only some changes of a plan. */
const isAppliedInPart = (plan: ConfigPlan): boolean =>
  (plan.status === "applied" && plan.left_out.length > 0) ||
  (plan.status === "rejected" && !!plan.reason?.endsWith(PARTIAL_REASON));

/** Return the label and tone of the badge for a plan's status. */
export function statusBadge(
  plan: ConfigPlan,
  standing?: PlanView["standing"],
): [label: string, tone: Tone] {
  if (standing === "undone") return [strings.undone, "unmatched"];
  if (plan.status === "rejected" && plan.reason?.endsWith(EDITED_REASON))
    return [strings.editedByYou, "unmatched"];
  if (isAppliedInPart(plan)) return [strings.appliedInPart, "fired"];
  return STATUS_BADGES[plan.status];
}

/** Return the warnings without those about broken saved examples, which have their own list. */
export function otherWarnings({
  warnings,
  broken_examples,
}: Pick<ConfigPlan, "warnings" | "broken_examples">): string[] {
  return warnings.filter(
    (text) =>
      !broken_examples.some(
        ({ example }) => text.startsWith(BREAKS_EXAMPLE) && text.includes(`\`${example.name}\``),
      ),
  );
}

const countNew = ({ overlaps }: ConfigPlan, severity: Overlap["severity"]): number =>
  overlaps.filter((one) => one.is_new && one.severity === severity).length;

/** Return the heading of what speaks against a plan: conflicts, warnings or both. */
export function nameFindings(
  breaksExamples: boolean,
  hasWarnings: boolean,
  overlaps: readonly Overlap[],
): string {
  const hasConflicts = overlaps.some((one) => one.severity === "error");
  if (!hasConflicts) return strings.warningsLabel;
  const isMixed = breaksExamples || hasWarnings || overlaps.some((one) => one.severity !== "error");
  return isMixed ? strings.conflictsAndWarnings : strings.conflictsLabel;
}

export interface Risk {
  level: "privileged" | "check" | "action" | "plain";
  label: string;
  why: string;
}

const countExamples = (count: number): string =>
  count === 1 ? strings.oneExample : strings.examples(count);

/** Return the title of a plan: its first change, and how many others there are. */
export function planTitle({ changes, description }: ConfigPlan): string {
  const first = changes.length > 1 ? changes[0]!.description : description;
  const title = describeChange(first) ?? withNotes(first);
  return changes.length > 1 ? strings.andMoreChanges(title, changes.length - 1) : title;
}

/** Return the label of the Apply button, with the number of saved examples that would break. */
export const applyLabel = (plan: ConfigPlan): string =>
  plan.broken_examples.length
    ? strings.applyAndBreak(countExamples(plan.broken_examples.length))
    : strings.apply;

/** Return the highest risk of a plan, such as running programs or breaking examples. */
export function planRisk(plan: ConfigPlan): Risk {
  if (plan.kind === "sysex")
    return {
      level: "privileged",
      label: strings.sendsSysex,
      why: strings.sysexRisk,
    };
  if (plan.privileged)
    return {
      level: "privileged",
      label: strings.privileged,
      why: strings.privilegedRisk,
    };
  if (plan.kind === "action")
    return {
      level: "action",
      label: strings.runsOnce,
      why: strings.runsOnceRisk,
    };
  const conflicts = countNew(plan, "error");
  const warnings = countNew(plan, "warning") + otherWarnings(plan).length;
  if (plan.examples.some((one) => !one.passed))
    return {
      level: "check",
      label: strings.exampleFails,
      why: strings.exampleFailsRisk,
    };
  const broken = plan.broken_examples.length;
  if (broken)
    return {
      level: "check",
      label: strings.breaks(countExamples(broken)),
      why: strings.breaksRisk,
    };
  if (conflicts || warnings)
    return {
      level: "check",
      label: [
        ...(conflicts ? [strings.conflicts(conflicts)] : []),
        ...(warnings ? [strings.warnings(warnings)] : []),
      ].join(", "),
      why: conflicts ? strings.conflictsRisk : strings.warningsRisk,
    };
  return {
    level: "plain",
    label: strings.configOnly,
    why: strings.configOnlyRisk,
  };
}

const proposeAgain = ({ requested_by }: ConfigPlan): string =>
  isByUser(requested_by) ? strings.proposeItAgain : strings.askAgain(nameInSentence(requested_by));

/** The callers that earlier versions added to a reason, with the process. */
const CALLER = "window|page|cli|chat|mcp|bare|http|remote|pad";
/** The stored reason of a discarded plan. */
const REJECTION = new RegExp(
  `^rejected by (.*?)(?: \\((${CALLER})(?:, process \\d+)?\\))?(?:: ([^]*))?$`,
);

/** Describe who discarded a plan, and why if a reason was given. */
function describeRejection(reason: string | null): string {
  const [, name, caller, why] = REJECTION.exec(reason ?? "") ?? [];
  const isUser = name === undefined || name === USER || ["window", "page"].includes(caller ?? "");
  const text = isUser ? strings.youDiscarded : strings.someoneDiscarded(name);
  return why ? `${text} ${strings.discardReason(why)}` : text;
}

/** Explain the outcome of a plan and what the user can do next; null while it can be applied. */
export function planAdvice(plan: ConfigPlan, standing?: PlanView["standing"]): string | null {
  switch (plan.status) {
    case "expired":
      return strings.expired(proposeAgain(plan), plan.kind === "config");
    case "stale":
      return strings.stale(proposeAgain(plan));
    case "unknown":
      return strings.unknown;
    case "failed":
      return strings.failed(plan.reason ?? strings.itFailed);
    case "rejected":
      if (standing === "undone") return strings.appliedThenUndone;
      if (plan.reason?.endsWith(EDITED_REASON)) {
        const part = PARTLY_EDITED.exec(plan.reason);
        return part ? strings.appliedSomeAsEdit(part[1]!, part[2]!) : strings.appliedAsEdit;
      }
      if (isAppliedInPart(plan)) return strings.appliedSomeChanges;
      return describeRejection(plan.reason);
    case "applied":
      if (standing === "undone") return strings.appliedThenUndone;
      if (standing === "changed_since") return strings.appliedAndConfigChanged;
      if (isAppliedInPart(plan))
        return [
          ...(isByUser(plan.requested_by)
            ? []
            : [strings.proposedBy(nameInSentence(plan.requested_by))]),
          strings.appliedPart(plan.changes.length, plan.changes.length + plan.left_out.length),
        ].join(" ");
      if (plan.kind !== "config") return strings.actionRan;
      return isByUser(plan.requested_by)
        ? strings.planApplied
        : strings.proposedAndApplied(nameInSentence(plan.requested_by));
    default:
      return null;
  }
}

/** Sort plans: those that can be applied first, then by age, newest first. */
export function sortPlans(plans: readonly ConfigPlan[]): ConfigPlan[] {
  return [...plans].sort(
    (a, b) => Number(isOpen(b)) - Number(isOpen(a)) || b.created_at.localeCompare(a.created_at),
  );
}

/** Return whether a plan contains all words of a search text. */
export function matchesSearch(
  plan: ConfigPlan,
  text: string,
  standing?: PlanView["standing"],
): boolean {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const haystack = [
    translateSentence(plan.description),
    requesterName(plan.requested_by),
    statusBadge(plan, standing)[0],
    planRisk(plan).label,
    ...plan.changes.map((one) => one.description),
  ]
    .join(" ")
    .toLowerCase();
  return words.every((word) => haystack.includes(word));
}

/** Format a past time relative to now, such as `5 min ago`; as a date after a day. */
export function formatAge(iso: string, now = clock.now): string {
  const seconds = Math.max(0, (now - Date.parse(iso)) / 1000);
  if (seconds < 60) return strings.justNow;
  if (seconds < 3600) return strings.minutesAgo(Math.floor(seconds / 60));
  if (seconds < 86_400) return strings.hoursAgo(Math.floor(seconds / 3600));
  return formatDate(iso);
}
