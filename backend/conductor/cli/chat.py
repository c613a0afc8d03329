"""`conductor chat`: chats with the assistant at a terminal, with the same plans and approvals as the window.

Exit codes: 0 answered; 1 no complete answer, with the reason on standard error; 2 invalid arguments; 3
Conductor is not running. If the input or output is piped, plans stay pending and their ids are printed.
"""

import argparse
import json
import os
import signal
import subprocess
import sys
from collections.abc import Generator
from contextlib import contextmanager, suppress
from importlib import import_module
from itertools import chain
from typing import Any

from conductor.base.atomic import hash_bytes
from conductor.base.json_types import JsonObject
from conductor.base.program import build_command
from conductor.cli.answer_printer import AnswerPrinter
from conductor.cli.client import NOT_RUNNING_MESSAGE, SocketClient
from conductor.cli.plans import format_plan
from conductor.cli.text import sanitize_line, sanitize_text
from conductor.errors import ConductorError, InvalidParams, NotAllowed, NotRunning
from conductor.mcp.server.stdio_proxy import start_conductor

EXIT_ANSWERED, EXIT_NO_ANSWER, EXIT_INVALID_ARGUMENTS = 0, 1, 2
INPUT_PROMPT = "> "
EXIT_COMMANDS = ("/quit", "/exit", "/bye")
CHAT_GREETING = "Ask a question, or type /help. Ctrl+C stops an answer, Ctrl+D exits."
NEWEST_CONVERSATION_ID = "last"


def run(args: argparse.Namespace) -> int:
    """Print the answer to one question, or start an interactive conversation. Return the exit code."""
    try:
        return _run_chat(args)
    except InvalidParams as error:
        print(f"conductor: {sanitize_text(error)}", file=sys.stderr)
        return EXIT_INVALID_ARGUMENTS


def _run_chat(args: argparse.Namespace) -> int:
    question = _read_question(args)
    if args.json and question is None:
        raise InvalidParams("--json needs a question: pass it as an argument or pipe it in")
    session = ChatSession(_connect_or_start(), args)
    try:
        code = _run_conversation(session) if question is None else session.send_message(question)
    except KeyboardInterrupt:
        print()
        return EXIT_NO_ANSWER
    if args.json:
        print(json.dumps(session.build_answer_json()))
    return code


def _read_question(args: argparse.Namespace) -> str | None:
    if args.question is not None or sys.stdin.isatty():
        return args.question
    try:
        text = sys.stdin.read().strip()
    except UnicodeDecodeError:
        raise InvalidParams("the question is not UTF-8 text; pipe it in as UTF-8") from None
    if not text:
        raise InvalidParams("there is no question: pass it as an argument or pipe it in")
    return text


def _connect_or_start() -> SocketClient:
    """Connect to the running Conductor. If none is running, start one without a window."""
    try:
        client = SocketClient(timeout_s=None)
    except NotRunning:
        # Without a terminal the chat would be refused, so Conductor need not be started.
        if not _has_terminal():
            raise NotAllowed(
                "`conductor chat` is for the user: it must run at a terminal"
            ) from None
        print("Starting Conductor...", file=sys.stderr, flush=True)
        connection = start_conductor()
        if connection is None:
            raise NotRunning(NOT_RUNNING_MESSAGE) from None
        connection.close()
        client = SocketClient(timeout_s=None)
    client.call_method("terminal.chat.watch")
    return client


def _has_terminal() -> bool:
    """Return whether this process has a terminal at which a person can answer, even if its input is piped."""
    if os.name != "posix":
        return True
    try:
        os.close(os.open("/dev/tty", os.O_RDWR | os.O_NOCTTY))
    except OSError:
        return False
    return True


def _run_conversation(session: "ChatSession") -> int:
    print(CHAT_GREETING)
    with suppress(ImportError):
        import_module("readline")  # gives `input` a history and line editing
    while True:
        try:
            text = input(INPUT_PROMPT).strip()
        except (EOFError, KeyboardInterrupt):
            print()
            return EXIT_ANSWERED
        if text in EXIT_COMMANDS:
            return EXIT_ANSWERED
        if text == "/new":
            session.start_new_conversation()
        elif text:
            try:
                session.send_message(text)
            except NotRunning:
                raise
            except ConductorError as error:
                print(f"conductor: {sanitize_text(error)}", file=sys.stderr)


class ChatSession:
    """One conversation with the assistant at a terminal, over the socket of the running Conductor."""

    def __init__(self, client: SocketClient, args: argparse.Namespace) -> None:
        self._client = client
        self._model = {"provider": args.provider, "model": args.model}
        self._quiet = args.json
        self._is_interactive = sys.stdin.isatty() and sys.stdout.isatty() and not args.json
        self._printer = AnswerPrinter(None)
        self._conversation_id: str | None = self._resolve_conversation(args.resume)

    def start_new_conversation(self) -> None:
        """Forget the current conversation, so that the next question starts a new one."""
        self._conversation_id = None

    def send_message(self, text: str) -> int:
        """Send a message, print the answer, and ask the user to decide on each plan that it proposes.

        Return the exit code.
        """
        parts = [{"type": "text", "text": text}]
        request = {**self._model, "conversation_id": self._conversation_id, "parts": parts}
        message = self._print_answer("send", request)
        while message["state"] == "paused" and self._ask_to_continue():
            message = self._print_answer("resume", {"message_id": message["message_id"]})
        change = self._ask_plan_decisions()
        if change:
            return self.send_message(change)
        return self._report_outcome(message)

    def build_answer_json(self) -> JsonObject:
        """Return the answer with its sources and plans as a JSON object, for `--json`."""
        message = self._printer.message or {}
        return {
            **{key: message.get(key) for key in ("conversation_id", "message_id", "state")},
            **{key: message.get(key) for key in ("provider", "model", "usage", "failure")},
            "text": self._printer.get_answer_text(),
            "sources": self._printer.list_sources(),
            "plans": [self._fetch_plan(plan_id) for plan_id in self._printer.list_plan_ids()],
        }

    def _resolve_conversation(self, requested_id: str | None) -> str | None:
        """Return the id of the conversation to continue. `last` stands for the newest one."""
        if requested_id != NEWEST_CONVERSATION_ID:
            return requested_id
        known = self._client.call_method("terminal.chat.conversations")["conversations"]
        if not known:
            raise InvalidParams("there is no conversation to resume; start one without --resume")
        return known[0]["conversation_id"]

    def _print_answer(self, verb: str, params: JsonObject) -> JsonObject:
        """Start or resume an answer, print it until it ends, and return the final message."""
        printer = self._printer = AnswerPrinter(None if self._quiet else sys.stdout)
        early_events: list[tuple[str, JsonObject]] = []
        sent = self._client.call_with_notifications(
            f"terminal.chat.{verb}",
            lambda kind, event: early_events.append((kind, event)),
            **params,
        )
        self._conversation_id = conversation_id = sent["conversation_id"]
        with self._stop_on_ctrl_c(conversation_id):
            for event in self._receive_chat_events(early_events):
                if _get_conversation_id(event) == conversation_id and printer.on_event(
                    event, sent["message_id"]
                ):
                    break
            else:
                raise NotRunning(
                    "Conductor exited before the answer was complete; the received part is saved"
                )
        printer.print_sources()
        if printer.message is None:
            raise NotRunning("Conductor did not answer; try again")
        return printer.message

    def _receive_chat_events(
        self, early_events: list[tuple[str, JsonObject]]
    ) -> Generator[JsonObject]:
        """Yield the chat events as they arrive. `early_events` are those that arrived before the response."""
        for kind, event in chain(early_events, self._client.receive_notifications()):
            if kind == "chat":
                yield event
            elif kind == "chat.approval" and event["conversation_id"] == self._conversation_id:
                self._ask_tool_approval(event)

    def _ask_tool_approval(self, approval: JsonObject) -> None:
        """Ask the user to decide on a pending tool call.

        Conductor accepts decisions only from `conductor approvals`, which therefore runs as a separate
        process.
        """
        if approval["state"] != "pending":
            return
        self._printer.end_line()
        approval_id = approval["approval_id"]
        if self._is_interactive:
            subprocess.run([*build_command(), "approvals", "ask", approval_id], check=False)
        else:
            hint = f"to allow it, at a terminal: conductor approvals allow {approval_id}"
            print(
                sanitize_line(f"{approval['title']}: waiting for approval; {hint}"), file=sys.stderr
            )

    @contextmanager
    def _stop_on_ctrl_c(self, conversation_id: str) -> Generator[None]:
        """Stop the answer at the first Ctrl+C. The second one ends the command."""

        def stop(_signal: int, _frame: Any) -> None:
            signal.signal(signal.SIGINT, previous_handler)
            self._client.send_notification("terminal.chat.stop", conversation_id=conversation_id)

        previous_handler = signal.signal(signal.SIGINT, stop)
        try:
            yield
        finally:
            signal.signal(signal.SIGINT, previous_handler)

    def _ask_plan_decisions(self) -> str:
        """Ask the user to decide on each plan of the answer.

        Return what the user wants to change in a plan, which is sent as the next message, or an empty
        string.
        """
        for plan_id in self._printer.list_plan_ids():
            plan = self._fetch_plan(plan_id)
            if self._quiet or plan["status"] != "pending":
                continue
            print("\n".join(format_plan(plan)))
            if not self._is_interactive or plan["privileged"]:
                print(f"The plan is pending; to approve it: conductor plans approve {plan_id}")
                continue
            match self._prompt_user(
                "Apply? y: yes, n: discard, e: request changes, Enter: decide later. "
            ).lower():
                case "y" | "yes":
                    self._apply_plan(plan)
                case "e" | "edit":
                    change = self._prompt_user("What should be different? ")
                    if change:
                        self._reject_plan(plan_id, "changes requested")
                        return change
                case "n" | "no":
                    self._reject_plan(plan_id, "not wanted")
                    print("Discarded.")
                case _:
                    print("Nothing changed; the plan is still pending.")
        return ""

    def _apply_plan(self, plan: JsonObject) -> None:
        try:
            done = self._client.call_method(
                "terminal.chat.approve",
                plan_id=plan["plan_id"],
                diff_hash=hash_bytes(plan["diff_preview"].encode()),
                apply=True,
            )
        except ConductorError as error:
            print(f"conductor: {sanitize_text(error)}", file=sys.stderr)
            return
        print(sanitize_line(f"{done['status']}: {done['description']}"))

    def _reject_plan(self, plan_id: str, reason: str) -> None:
        self._client.call_method("terminal.chat.reject", plan_id=plan_id, reason=reason)

    def _fetch_plan(self, plan_id: str) -> JsonObject:
        return self._client.call_method("conductor_get_plan", plan_id=plan_id)

    def _ask_to_continue(self) -> bool:
        if not self._is_interactive:
            return False
        return self._prompt_user("Continue? [Y/n] ").lower() not in ("n", "no")

    def _prompt_user(self, question: str) -> str:
        try:
            return input(question).strip()
        except EOFError:
            return ""

    def _report_outcome(self, message: JsonObject) -> int:
        if message["state"] == "complete":
            return EXIT_ANSWERED
        failure = message["failure"]
        if failure is not None and not self._quiet:
            print(f"conductor: {sanitize_text(failure['message'])}", file=sys.stderr)
        return EXIT_NO_ANSWER


def _get_conversation_id(event: JsonObject) -> str | None:
    inner = event.get("message") or event.get("conversation") or event
    return inner.get("conversation_id")
