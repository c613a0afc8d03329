/** The wording of plans: requester, risk, status and advice. */
import type { ConfigPlan, PlanView, Requester } from "$lib/client/types";
import type { Tone } from "$ui";
import { strings } from "./strings";

const CALLERS: Record<Requester["caller"], string> = {
  window: strings.youInWindow,
  page: strings.youOnPageInBrowser,
  cli: strings.theCommandLine,
  chat: strings.theAssistant,
  mcp: strings.agentOverMcp,
  bare: strings.programOnSocket,
  http: strings.programOverHttp,
  pad: strings.aControl,
};

export const isOpen = (plan: ConfigPlan): boolean =>
  plan.status === "pending" || plan.status === "approved";

export function requesterName({ client, executable, caller }: Requester): string {
  if (!client && caller === "cli") return strings.theCommandLineLabel;
  return client || executable?.split(/[\\/]/).at(-1) || CALLERS[caller];
}

/** Describe how a requester reaches Conductor, with what the system knows of its process. */
export function describeConnection({ client, caller, pid, executable }: Requester): string {
  const name = client || (executable && caller !== "cli") ? CALLERS[caller] : "";
  return [name, executable ?? "", pid ? strings.process(pid) : ""].filter(Boolean).join(" · ");
}

const STATUS: Record<ConfigPlan["status"], [string, Tone]> = {
  pending: [strings.pending, "waiting"],
  approved: [strings.approvedLabel, "mode"],
  applied: [strings.applied, "fired"],
  rejected: [strings.discardedLabel, "unmatched"],
  expired: [strings.expiredLabel, "unmatched"],
  stale: [strings.outOfDate, "unmatched"],
  failed: [strings.failedLabel, "failed"],
  unknown: [strings.unknownLabel, "waiting"],
};
/** The reason for rejecting a plan whose changes the user made by hand. */
export const EDITED_REASON = strings.editedByUser;
export const IN_PART = strings.appliedInPartInline;

export function statusLook(
  plan: ConfigPlan,
  standing?: PlanView["standing"],
): [label: string, tone: Tone] {
  if (standing === "undone") return [strings.undone, "unmatched"];
  if (plan.status === "rejected" && plan.reason?.endsWith(EDITED_REASON))
    return [strings.editedByYou, "unmatched"];
  if (plan.status === "rejected" && plan.reason?.endsWith(IN_PART))
    return [strings.appliedInPart, "fired"];
  return STATUS[plan.status];
}

/** Return the warnings except those about broken kept examples, which have their own list. */
export function otherWarnings({
  warnings,
  broken_examples,
}: Pick<ConfigPlan, "warnings" | "broken_examples">): string[] {
  return warnings.filter(
    (text) =>
      !broken_examples.some(
        ({ example }) =>
          text.startsWith(strings.thisBreaksYourExample) && text.includes(`\`${example.name}\``),
      ),
  );
}

export interface Risk {
  level: "privileged" | "check" | "action" | "plain";
  label: string;
  why: string;
}

const examples = (count: number): string =>
  count === 1 ? strings.n1Example : strings.examples(count);

/** Return the label of the apply button, which mentions the examples that would break. */
export const applyLabel = (plan: ConfigPlan): string =>
  plan.broken_examples.length
    ? strings.applyAndBreak(examples(plan.broken_examples.length))
    : strings.apply;

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
      why: strings.runsActionNowAndChanges,
    };
  const conflicts = plan.overlaps.filter((one) => one.is_new && one.severity !== "info").length;
  if (plan.examples.some((one) => !one.passed))
    return {
      level: "check",
      label: strings.exampleFails,
      why: strings.ownExamplesFail,
    };
  const broken = plan.broken_examples.length;
  if (broken)
    return {
      level: "check",
      label: strings.breaks(examples(broken)),
      why: strings.savedExamplesWouldFail,
    };
  if (conflicts)
    return {
      level: "check",
      label: conflicts === 1 ? strings.n1Conflict : strings.conflicts(conflicts),
      why: strings.mappingsWouldAffectEachOther,
    };
  if (plan.warnings.length)
    return {
      level: "check",
      label:
        plan.warnings.length === 1 ? strings.n1Warning : strings.warnings(plan.warnings.length),
      why: strings.readWarningsBeforeYouApply,
    };
  return {
    level: "plain",
    label: strings.config,
    why: strings.changesOnlyConfigYouCan,
  };
}

const again = ({ requested_by }: ConfigPlan): string =>
  requested_by.caller === "cli"
    ? strings.proposeItAgain
    : strings.askAgain(requesterName(requested_by));

/** Return advice for a plan that is no longer pending; null when it is. */
export function planAdvice(plan: ConfigPlan, standing?: PlanView["standing"]): string | null {
  switch (plan.status) {
    case "expired":
      return strings.expired(again(plan), plan.kind === "config");
    case "stale":
      return strings.stale(again(plan));
    case "unknown":
      return strings.unknown;
    case "failed":
      return strings.failed(plan.reason ?? "It failed.");
    case "rejected":
      if (standing === "undone") return strings.planWasAppliedThenUndone;
      if (plan.reason?.endsWith(EDITED_REASON)) return strings.youAppliedChangesAsYour;
      if (plan.reason?.endsWith(IN_PART)) return strings.youAppliedSomeChangesOthers;
      return strings.rejected(plan.reason ?? "rejected");
    case "applied":
      if (standing === "undone") return strings.planWasAppliedThenUndone;
      if (standing === "changed_since") return strings.planWasAppliedAndConfig;
      return plan.kind === "config" ? strings.planWasApplied : strings.theActionRan;
    default:
      return null;
  }
}

/** Sort plans: pending first, then newest first. */
export function sortPlans(plans: readonly ConfigPlan[]): ConfigPlan[] {
  return [...plans].sort(
    (a, b) => Number(isOpen(b)) - Number(isOpen(a)) || b.created_at.localeCompare(a.created_at),
  );
}

export function matches(plan: ConfigPlan, text: string, standing?: PlanView["standing"]): boolean {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const haystack = [
    plan.description,
    requesterName(plan.requested_by),
    statusLook(plan, standing)[0],
    planRisk(plan).label,
    ...plan.changes.map((one) => one.description),
  ]
    .join(" ")
    .toLowerCase();
  return words.every((word) => haystack.includes(word));
}

export function ago(iso: string, now = Date.now()): string {
  const seconds = Math.max(0, (now - Date.parse(iso)) / 1000);
  if (seconds < 60) return strings.justNow;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ago`;
  if (seconds < 86_400) return strings.hAgo(Math.floor(seconds / 3600));
  return new Date(iso).toLocaleDateString();
}
