"""Builds the text of an approval form in an agent's client, and checks whether the form may be used.

The text is built when the form is shown and again when its answer arrives. The answer is accepted only if both
texts are the same.
"""

from conductor.base.invisible_chars import EMOJI_SELECTOR, reveal_hidden, reveal_line
from conductor.domain.plan import ConfigPlan, Requester
from conductor.domain.settings import LlmMcp


def can_approve_in_form(plan: ConfigPlan, by: Requester, settings: LlmMcp) -> bool:
    """Return whether a form in the caller's client may approve this plan."""
    return (
        settings.allows_approval_form(by.client, by.executable)
        and plan.kind == "config"
        and not plan.privileged
        and not plan.window_only
        and not plan.diff_is_cut
        and all(result.passed for result in plan.examples)
        and plan.requested_by.get_principal() == by.get_principal()
    )


def format_approval_text(plan: ConfigPlan) -> str:
    """Return the text of the approval form: requester, changes, proof and the complete diff."""
    lines = [f"{plan.requested_by.describe()} asks to change your Conductor config:"]
    lines += [f"- {row.description}" for row in plan.changes]
    lines += [f"Warning: {warning}" for warning in plan.warnings]
    lines += [f"{overlap.severity}: {overlap.message}" for overlap in plan.overlaps]
    if plan.impact is not None:
        lines.append(plan.impact.summary)
    if plan.replay is not None and plan.replay.summary:
        lines.append(f"What you played: {plan.replay.summary}")
        lines += [f"Not covered: {text}" for text in plan.replay.not_covered]
    failed = [result.example.name for result in plan.examples if not result.passed]
    lines += [f"Example that fails: {name}" for name in failed]
    diff = [
        reveal_hidden(line, keep=f"\t{EMOJI_SELECTOR}") for line in plan.diff_preview.split("\n")
    ]
    return "\n".join([*(reveal_line(line) for line in lines), "", *diff])
