"""Runs the tasks of other agents. Every change and every read of a task is a tool call through the gate."""

import asyncio
import json
import logging
from typing import assert_never

from a2a.helpers import new_data_part, new_task_from_user_message, new_text_part
from a2a.server.agent_execution import AgentExecutor, RequestContext
from a2a.server.events import EventQueue
from a2a.server.tasks import TaskUpdater
from a2a.types import Message, TaskState
from a2a.utils.errors import InvalidParamsError, TaskNotCancelableError

from conductor.base.json_types import JsonObject
from conductor.base.rate_limit import RateLimiter
from conductor.domain.plan import ConfigPlan, PlanStatus, Requester
from conductor.errors import ConductorError, NotAvailable, RateLimited
from conductor.mcp.a2a.callers import get_program, get_requester
from conductor.mcp.a2a.decisions import PlanDecisions
from conductor.mcp.a2a.deps import A2aDeps
from conductor.mcp.a2a.skills import (
    DATA_PART_HELP,
    CaptureArguments,
    ConfigureArguments,
    SkillCall,
    TextRequest,
    parse_arguments,
    read_request,
)
from conductor.mcp.server.plan_data import build_plan_data
from conductor.storage.audit import AuditEntry, RecordedCall
from conductor.tools.arguments import redact_arguments
from conductor.tools.next_steps import NEXT_STEP_BY_ERROR_CODE

log = logging.getLogger(__name__)

APPLY_PLAN_TOOL, BATCH_TOOL = "conductor_apply_plan", "conductor_batch"
START_LEARN_TOOL, STOP_LEARN_TOOL = "conductor_start_midi_learn", "conductor_stop_midi_learn"
TOOL_BY_SKILL = {"explain_event": "conductor_explain_event", "simulate": "conductor_simulate"}
PLAN_ARTIFACT_ID = "plan"
TEXT_REQUEST_TOOL = "a2a_text"
"""The name in the audit log of a request in plain text, which may cost the user money."""
TEXT_BURST, TEXTS_PER_SECOND = 5, 1 / 30
"""Each program may send 5 texts at once, and after that one every 30 seconds."""
ALL_TEXTS_BURST, ALL_TEXTS_PER_SECOND = 15, 1 / 10
"""All programs together: they have the same token, and each text costs the user money."""
LEARN_MARGIN_S = 10.0
"""MIDI Learn ends by itself this long after a capture that never stopped it."""


class RunningTask:
    """A task that has not ended: what to undo if it is cancelled, and whether that is still possible."""

    def __init__(self, by: Requester, updates: TaskUpdater) -> None:
        self.by = by
        self.updates = updates
        self.plan: ConfigPlan | None = None
        """The plan that waits for the user's decision."""
        self.is_capturing = False
        self.is_cancelled = False
        self.is_irrevocable = False

    async def fail(self, message: str, code: str | None = None) -> None:
        """End the task as failed, with the message, the kind of the error and what to do next."""
        hint = NEXT_STEP_BY_ERROR_CODE.get(code or "")
        text = message if hint is None else f"{message}\nSuggestion: {hint}"
        details = {"error": {"kind": code or "error", "message": message}}
        await self.updates.failed(self._build_message(text, details))

    async def update_status(
        self, state: TaskState, text: str, data: JsonObject | None = None
    ) -> None:
        """Change the state of the task, with a message."""
        await self.updates.update_status(state, self._build_message(text, data))

    async def add_result(self, name: str, text: str, data: JsonObject) -> None:
        """Add an artifact with the result as JSON, and with the same as text if `text` is empty."""
        words = text or json.dumps(data, ensure_ascii=False)
        parts = [new_text_part(words), new_data_part(data, "application/json")]
        await self.updates.add_artifact(parts, artifact_id=name, name=name, last_chunk=True)

    def _build_message(self, text: str, data: JsonObject | None = None) -> Message:
        parts = [new_text_part(text)]
        if data is not None:
            parts.append(new_data_part(data, "application/json"))
        return self.updates.new_agent_message(parts)


class SkillExecutor(AgentExecutor):
    """Runs a task from the message of its client until it ends."""

    def __init__(self, deps: A2aDeps, decisions: PlanDecisions) -> None:
        self._deps = deps
        self._decisions = decisions
        self._texts = RateLimiter(TEXT_BURST, TEXTS_PER_SECOND)
        self._all_texts = RateLimiter(ALL_TEXTS_BURST, ALL_TEXTS_PER_SECOND)
        self._running: dict[str, RunningTask] = {}

    def is_running(self, task_id: str) -> bool:
        return task_id in self._running

    def require_cancellable(self, task_id: str) -> None:
        """Check that a task can still be cancelled.

        Raises:
            TaskNotCancelableError: The user has decided, so the task is about to end.
        """
        task = self._running.get(task_id)
        if task is not None and task.is_irrevocable:
            raise TaskNotCancelableError(
                message="the user has decided, so the task cannot be cancelled: get it for its result"
            )

    async def execute(self, context: RequestContext, event_queue: EventQueue) -> None:
        message, by = context.message, get_requester(context.call_context)
        assert message is not None
        assert context.task_id is not None
        assert context.context_id is not None
        try:
            created = new_task_from_user_message(message)
        except ValueError as error:
            raise InvalidParamsError(message=str(error)) from None
        task = RunningTask(by, TaskUpdater(event_queue, context.task_id, context.context_id))
        self._running[context.task_id] = task
        try:
            await event_queue.enqueue_event(created)
            await task.updates.start_work()
            await self._run(task, message)
        except ConductorError as error:
            await task.fail(str(error), error.code)
        except Exception:
            log.exception("a task of another agent failed")
            await task.fail("Internal error in Conductor: tell the user, who finds it in the log")
        finally:
            self._running.pop(context.task_id, None)

    async def cancel(self, context: RequestContext, event_queue: EventQueue) -> None:
        """Undo what the task has started, and end it as cancelled.

        If the user has applied its plan at the same moment, it ends as completed.
        """
        assert context.task_id is not None
        assert context.context_id is not None
        updates = TaskUpdater(event_queue, context.task_id, context.context_id)
        task = self._running.get(context.task_id)
        if task is not None and await self._undo(task) == "applied":
            await updates.complete(updates.new_agent_message([new_text_part("Already applied")]))
            return
        await updates.cancel(updates.new_agent_message([new_text_part("Cancelled by the client")]))

    async def _undo(self, task: RunningTask) -> PlanStatus | None:
        """Reject the plan of a task, stop its capture, and return the status of the plan if it has one."""
        task.is_cancelled = True
        try:
            if task.is_capturing:
                await self._call_tool(task, STOP_LEARN_TOOL, {})
            if task.plan is not None:
                # The task is the request of the plan, so the user is no longer asked about it.
                reason = "the client cancelled its task"
                plan = await asyncio.to_thread(
                    self._deps.plans.reject_plan, task.plan.plan_id, task.by, reason
                )
                return plan.status
        except ConductorError as error:  # such as a plan that has just been decided or has expired
            log.info("a cancelled task could not be undone: %s", error)
        if task.plan is None:
            return None
        return (await asyncio.to_thread(self._deps.plans.get_plan, task.plan.plan_id)).status

    async def _run(self, task: RunningTask, message: Message) -> None:
        request = read_request(message)
        if isinstance(request, TextRequest):
            return await self._answer_text(task, request.text)
        match request.skill:
            case "configure_midi_mapping":
                return await self._configure(task, request)
            case "capture_midi_events":
                return await self._capture(task, request)
            case "explain_event" | "simulate":
                result = await self._call_tool(
                    task, TOOL_BY_SKILL[request.skill], request.arguments
                )
                text = result["answer"] if request.skill == "explain_event" else ""
                await task.add_result(request.skill, text, result)
                return await task.updates.complete()
            case _:  # pragma: no cover - unreachable: the type checker has checked every case
                assert_never(request.skill)

    async def _configure(self, task: RunningTask, request: SkillCall) -> None:
        given = parse_arguments(ConfigureArguments, request.arguments)
        if given.description is not None and not given.changes:
            return await self._answer_text(task, given.description)
        arguments: JsonObject = {"operations": list(given.changes)}
        if given.examples:
            arguments["examples"] = list(given.examples)
        outcome = await self._deps.gate.call_tool(BATCH_TOOL, arguments, task.by)
        if outcome.error is not None:
            raise outcome.error
        assert isinstance(outcome.result, ConfigPlan)
        return await self._wait_for_user(task, outcome.result, "")

    async def _wait_for_user(self, task: RunningTask, plan: ConfigPlan, words: str) -> None:
        """Show the plan with its proof to the client, wait for the user's decision, and end the task."""
        task.plan = plan
        await task.add_result(PLAN_ARTIFACT_ID, format_plan_summary(plan), build_plan_data(plan))
        waiting = (
            f"Waiting for the user, who decides in Conductor's window or with `conductor plans approve"
            f" {plan.plan_id}`. A message does not approve it."
        )
        await task.update_status(
            TaskState.TASK_STATE_INPUT_REQUIRED, f"{words}\n\n{waiting}".strip()
        )
        await self._decisions.wait_until_decided(plan)
        if task.is_cancelled:
            return
        task.is_irrevocable = True  # cancelling does not undo a plan that was applied
        outcome = await self._deps.gate.call_tool(
            APPLY_PLAN_TOOL, {"plan_id": plan.plan_id}, task.by
        )
        decided = await asyncio.to_thread(self._deps.plans.get_plan, plan.plan_id)
        await task.add_result(
            PLAN_ARTIFACT_ID, format_plan_summary(decided), build_plan_data(decided)
        )
        # In the window, the user has applied it, and the call above changes nothing or is refused.
        if outcome.error is None or decided.status == "applied":
            await task.update_status(
                TaskState.TASK_STATE_COMPLETED, f"Applied: {decided.description}"
            )
        elif decided.status == "rejected":
            await task.update_status(TaskState.TASK_STATE_REJECTED, f"{outcome.error}")
        else:
            await task.fail(str(outcome.error), outcome.error.code)

    async def _capture(self, task: RunningTask, request: SkillCall) -> None:
        duration_s = parse_arguments(CaptureArguments, request.arguments).duration_secs
        timeout_ms = round((duration_s + LEARN_MARGIN_S) * 1000)
        await self._call_tool(task, START_LEARN_TOOL, {"timeout_ms": timeout_ms})
        task.is_capturing = True
        await task.update_status(
            TaskState.TASK_STATE_WORKING, f"Capturing for {duration_s:g} s: play the control now"
        )
        await asyncio.sleep(duration_s)
        task.is_capturing = False
        result = await self._call_tool(task, STOP_LEARN_TOOL, {})
        await task.add_result(request.skill, "", result)
        await task.updates.complete()

    async def _answer_text(self, task: RunningTask, text: str) -> None:
        """Answer a text with the user's model, which may propose a plan."""
        by = task.by
        wait_s = self._texts.take_tokens(get_program(by)) or self._all_texts.take_tokens("")
        entry = AuditEntry.create_for_call(
            by, TEXT_REQUEST_TOOL, "stateful", redact_arguments({"text": text})
        )
        with RecordedCall(self._deps.audit, entry):
            if wait_s > 0:
                raise RateLimited(f"too many texts; send the next one in {wait_s:.0f} s")
            try:
                answer = await self._deps.ask_model(text, by)
            except NotAvailable as error:
                raise NotAvailable(f"{error}. {DATA_PART_HELP}") from None
        if answer.plan is not None:
            return await self._wait_for_user(task, answer.plan, answer.text)
        await task.updates.add_artifact(
            [new_text_part(answer.text)], artifact_id="answer", name="answer", last_chunk=True
        )
        return await task.updates.complete()

    async def _call_tool(self, task: RunningTask, name: str, arguments: JsonObject) -> JsonObject:
        """Call a tool through the gate.

        Raises:
            ConductorError: The call was refused or failed.
        """
        return (await self._deps.gate.call_tool(name, arguments, task.by)).to_plain()


def format_plan_summary(plan: ConfigPlan) -> str:
    """Return what a plan changes and what its proof found, as text for an agent."""
    lines = [f"Plan {plan.plan_id} ({plan.status}): {plan.description}"]
    lines += [f"- {change.description}" for change in plan.changes]
    lines += [f"Warning: {warning}" for warning in plan.warnings]
    lines += [
        f"{overlap.severity}: {overlap.message}" for overlap in plan.overlaps if overlap.is_new
    ]
    if plan.impact is not None:
        lines.append(plan.impact.summary)
    if plan.replay is not None and plan.replay.summary:
        lines.append(f"What the user played: {plan.replay.summary}")
        lines += [f"Not covered: {text}" for text in plan.replay.not_covered]
    for result in plan.examples:
        lines.append(f"Example {result.example.name}: {'passes' if result.passed else 'fails'}")
    return "\n".join(lines)
