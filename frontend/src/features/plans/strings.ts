/** User-visible strings of `features/plans`, in one place for translation. */
import { translatable } from "$language/language.svelte";

export const strings = translatable("features/plans", {
  // ConnectAgent.svelte
  noClipboard: "This page cannot use the clipboard. Select the line and copy it.",
  noPlansYet: "No plans yet",
  connectIntro:
    "Agents can read your config and propose changes. A proposal appears here as a " +
    "plan, and nothing changes until you apply it. To connect an agent, run this " +
    "in a terminal:",
  yourAgent: "Your agent",
  copied: "Copied",
  copyCommand: "Copy command",
  otherClients: "For any other MCP client, use the command",
  tryAsking: ". Then ask, for example: “make my top left pad mute the microphone”.",

  // DiscardReason.svelte
  discardWithReason: "Discard with a reason",
  reason: "Reason",
  reasonHint: "The agent can read the reason and improve its next plan.",
  reasonPlaceholder: "Use the lower row of pads instead",
  cancel: "Cancel",
  discard: "Discard",

  // PlanReview.svelte
  requestedThis: "requested this",

  // PlansView.svelte
  pending: (count: number): string => `${count} pending`,
  plans: "Plans",
  couldNotLoadPlans: "Could not load the plans",
  loadingThePlans: "Loading the plans",
  widthList: "List width",
  noMatches: "No matches",
  tryAnotherSearch: "Try another search.",
  couldNotLoadPlan: "Could not load the plan",
  loadingThePlan: "Loading the plan",
  selectAPlan: "Select a plan",
  selectPlanHint: "See what a plan changes before you decide.",
  examplesFail: "Its examples fail",
  allowOnce: "Allow once",
  applySome: (count: number, total: number): string => `Apply ${count} of ${total} changes`,
  edit: "Edit",
  useTheseChanges: "Use these changes",
  more: "More actions",
  discardWithReasonButton: "Discard with a reason…",
  exampleFails: "An example fails, so the plan cannot be applied.",
  askAgain: "Ask again",
  undo: "Undo",
  redo: "Redo",
});
