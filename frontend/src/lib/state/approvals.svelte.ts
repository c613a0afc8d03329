/** Tool calls that wait for the user's approval, and questions of MCP servers. */
import { ConnectionLost } from "../transport/transport";
import { errorMessage, type Client } from "../client/client";
import { wireName } from "../skills";
import type { ApprovalView, Commands, QuestionView } from "../client/types";
import type { UiState } from "./ui.svelte";
import { strings } from "../strings";

export type Decision = Commands["approvals.decide"]["params"]["decision"];
export type Answer = Commands["questions.answer"]["params"]["action"];

export class ApprovalsState {
  /** The pending approvals, oldest first. */
  pending = $state.raw<ApprovalView[]>([]);
  questions = $state.raw<QuestionView[]>([]);
  /** The id of the approval or question whose answer is being sent; null if there is none. */
  busy = $state<string | null>(null);
  private changeCount = 0;

  constructor(
    private readonly client: Client,
    private readonly ui: UiState,
  ) {
    client.onResync(() => void this.load());
    client.on("approval", (approval) => this.onApproval(approval));
    client.on("question", (question) => this.onQuestion(question));
  }

  async load(): Promise<void> {
    const changeCount = this.changeCount;
    try {
      const [{ approvals }, { questions }] = await Promise.all([
        this.client.call("approvals.list"),
        this.client.call("questions.list"),
      ]);
      // An event arrived meanwhile, so the answer may be older than the state.
      if (changeCount !== this.changeCount) return void this.load();
      this.pending = sortByAge(approvals.filter((one) => one.state === "pending"));
      this.questions = sortByAge(questions.filter((one) => one.state === "pending"));
    } catch (error) {
      if (!(error instanceof ConnectionLost)) this.ui.toast(errorMessage(error), { tone: "error" });
    }
  }

  decide({ approval_id }: ApprovalView, decision: Decision): Promise<void> {
    return this.submit(approval_id, async () => {
      await this.client.call("approvals.decide", { approval_id, decision });
      this.pending = this.pending.filter((one) => one.approval_id !== approval_id);
    });
  }

  answer(
    { question_id }: QuestionView,
    action: Answer,
    content?: Record<string, unknown>,
  ): Promise<void> {
    return this.submit(question_id, async () => {
      await this.client.call("questions.answer", {
        question_id,
        action,
        ...(content ? { content } : {}),
      });
      this.questions = this.questions.filter((one) => one.question_id !== question_id);
    });
  }

  /** Return the pending approval of a tool call in the chat; undefined when there is none. */
  waiting(
    conversation_id: string,
    tool: string,
    args: Record<string, unknown>,
  ): ApprovalView | undefined {
    const expected = stableJson(args);
    const calls = this.pending.filter(
      (one) =>
        one.conversation_id === conversation_id && [one.tool, wireName(one.tool)].includes(tool),
    );
    return calls.find((one) => stableJson(one.arguments) === expected);
  }

  private async submit(id: string, run: () => Promise<void>): Promise<void> {
    if (this.busy) return;
    this.busy = id;
    try {
      await run();
    } catch (error) {
      this.ui.toast(errorMessage(error), { tone: "error" });
      // The approval may have been decided in another window, so the list may be outdated.
      void this.load();
    } finally {
      this.busy = null;
    }
  }

  private onApproval(approval: ApprovalView): void {
    this.changeCount++;
    const known = this.pending.some((one) => one.approval_id === approval.approval_id);
    const others = this.pending.filter((one) => one.approval_id !== approval.approval_id);
    this.pending = approval.state === "pending" ? sortByAge([...others, approval]) : others;
    if (known && approval.state === "expired")
      this.ui.toast(strings.approvalTimedOut(approval.title), {
        tone: "warning",
      });
  }

  private onQuestion(question: QuestionView): void {
    this.changeCount++;
    const others = this.questions.filter((one) => one.question_id !== question.question_id);
    this.questions = question.state === "pending" ? sortByAge([...others, question]) : others;
  }
}

function sortByAge<T extends { requested_at: string }>(all: readonly T[]): T[] {
  return [...all].sort((a, b) => a.requested_at.localeCompare(b.requested_at));
}

/** Serialize a value as JSON with sorted keys. */
function stableJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(stableJson).join(",")}]`;
  if (value === null || typeof value !== "object") return JSON.stringify(value) ?? "null";
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  const fields = entries.map(([name, one]) => `${JSON.stringify(name)}:${stableJson(one)}`);
  return `{${fields.join(",")}}`;
}
