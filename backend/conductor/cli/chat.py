"""`conductor chat`: the window's assistant at a terminal, with the same plans and the user's word on each.

Exit codes: 0 answered; 1 no whole answer, the reason is on standard error; 2 the arguments are wrong;
3 no Conductor answers. A plan that nobody decided, as in a pipe, waits and is named.
"""

import argparse
import json
import signal
import subprocess
import sys
from collections.abc import Generator
from contextlib import contextmanager, suppress
from importlib import import_module
from itertools import chain
from typing import Any

from conductor.base.atomic import hash_of
from conductor.base.program import command
from conductor.cli.chat_shown import Shown
from conductor.cli.client import NOT_THERE, Client
from conductor.cli.plans import lines
from conductor.cli.words import plain, plain_line
from conductor.errors import ConductorError, InvalidParams, NotRunning
from conductor.mcp.server.stdio_proxy import start_conductor

Plain = dict[str, Any]
ANSWERED, NO_ANSWER, WRONG = 0, 1, 2
PROMPT = "> "
ENDS = ("/quit", "/exit", "/bye")
HELLO = "Ask, or write /help. Ctrl+C stops an answer, Ctrl+D ends."
LAST = "last"


def run(args: argparse.Namespace) -> int:
    """Answer one question, or talk until the user ends it."""
    try:
        return _run(args)
    except InvalidParams as error:
        print(f"conductor: {plain(error)}", file=sys.stderr)
        return WRONG


def _run(args: argparse.Namespace) -> int:
    question = _question(args)
    if args.json and question is None:
        raise InvalidParams("with --json, give the question, or pipe it in")
    talk = Talk(_connected(), args)
    try:
        code = _converse(talk) if question is None else talk.say(question)
    except KeyboardInterrupt:
        print()
        return NO_ANSWER
    if args.json:
        print(json.dumps(talk.plain()))
    return code


def _question(args: argparse.Namespace) -> str | None:
    if args.question is not None or sys.stdin.isatty():
        return args.question
    text = sys.stdin.read().strip()
    if not text:
        raise InvalidParams("nothing was asked: give the question, or pipe it in")
    return text


def _connected() -> Client:
    """Connect to the running Conductor, or to one that is started without a window."""
    try:
        client = Client(timeout_s=None)
    except NotRunning:
        print("Starting Conductor...", file=sys.stderr, flush=True)
        connection = start_conductor()
        if connection is None:
            raise NotRunning(NOT_THERE) from None
        connection.close()
        client = Client(timeout_s=None)
    client.call("terminal.chat.watch")
    return client


def _converse(talk: "Talk") -> int:
    print(HELLO)
    with suppress(ImportError):
        import_module("readline")  # gives `input` its history and editing
    while True:
        try:
            text = input(PROMPT).strip()
        except (EOFError, KeyboardInterrupt):
            print()
            return ANSWERED
        if text in ENDS:
            return ANSWERED
        if text == "/new":
            talk.begin_anew()
        elif text:
            try:
                talk.say(text)
            except NotRunning:
                raise
            except ConductorError as error:
                print(f"conductor: {plain(error)}", file=sys.stderr)


class Talk:
    """One conversation at a terminal."""

    def __init__(self, client: Client, args: argparse.Namespace) -> None:
        self._client = client
        self._model = {"provider": args.provider, "model": args.model}
        self._quiet = args.json
        self._asks = sys.stdin.isatty() and sys.stdout.isatty() and not args.json
        self._shown = Shown(None)
        self._conversation_id: str | None = self._resumed(args.resume)

    def begin_anew(self) -> None:
        """Have the next question begin another conversation."""
        self._conversation_id = None

    def say(self, text: str) -> int:
        """Say something, show the answer, and ask about each plan."""
        parts = [{"type": "text", "text": text}]
        asked = {**self._model, "conversation_id": self._conversation_id, "parts": parts}
        message = self._answer("send", asked)
        while message["state"] == "paused" and self._goes_on():
            message = self._answer("resume", {"message_id": message["message_id"]})
        change = self._decide()
        if change:
            return self.say(change)
        return self._code(message)

    def plain(self) -> Plain:
        """Return the answer as JSON-ready data."""
        message = self._shown.message or {}
        return {
            **{key: message.get(key) for key in ("conversation_id", "message_id", "state")},
            **{key: message.get(key) for key in ("provider", "model", "usage", "failure")},
            "text": self._shown.text(),
            "sources": self._shown.sources(),
            "plans": [self._plan(plan_id) for plan_id in self._shown.plans()],
        }

    def _resumed(self, wanted: str | None) -> str | None:
        if wanted != LAST:
            return wanted
        known = self._client.call("terminal.chat.conversations")["conversations"]
        if not known:
            raise InvalidParams("there is no conversation to go on with")
        return known[0]["conversation_id"]

    def _answer(self, verb: str, params: Plain) -> Plain:
        """Follow an answer to its end."""
        shown = self._shown = Shown(None if self._quiet else sys.stdout)
        before: list[tuple[str, Plain]] = []
        sent = self._client.watch(
            f"terminal.chat.{verb}", lambda kind, news: before.append((kind, news)), **params
        )
        self._conversation_id = conversation_id = sent["conversation_id"]
        with self._stopping(conversation_id):
            for news in self._news(before):
                if _conversation_of(news) == conversation_id and shown.hear(
                    news, sent["message_id"]
                ):
                    break
            else:
                raise NotRunning("Conductor ended before it answered; what had come is kept")
        shown.finish()
        if shown.message is None:
            raise NotRunning("the answer did not come; try again")
        return shown.message

    def _news(self, before: list[tuple[str, Plain]]) -> Generator[Plain]:
        for kind, news in chain(before, self._client.notifications()):
            if kind == "chat":
                yield news
            elif kind == "chat.approval" and news["conversation_id"] == self._conversation_id:
                self._approve(news)

    def _approve(self, waiting: Plain) -> None:
        """Have the user decide about a call of a skill, by the command that may take the user's word."""
        if waiting["state"] != "pending":
            return
        self._shown.end()
        approval_id = waiting["approval_id"]
        if self._asks:
            subprocess.run([*command(), "approvals", "ask", approval_id], check=False)
        else:
            todo = f"at a terminal: conductor approvals allow {approval_id}"
            print(plain_line(f"{waiting['title']} waits for you; {todo}"), file=sys.stderr)

    @contextmanager
    def _stopping(self, conversation_id: str) -> Generator[None]:
        """Let Ctrl+C stop the answer; a second one ends the command."""

        def stop(_signal: int, _frame: Any) -> None:
            signal.signal(signal.SIGINT, usual)
            self._client.tell("terminal.chat.stop", conversation_id=conversation_id)

        usual = signal.signal(signal.SIGINT, stop)
        try:
            yield
        finally:
            signal.signal(signal.SIGINT, usual)

    def _decide(self) -> str:
        """Show each plan and have the user decide; give what is to be changed instead, if anything."""
        for plan_id in self._shown.plans():
            plan = self._plan(plan_id)
            if self._quiet or plan["status"] != "pending":
                continue
            print("\n".join(lines(plan)))
            if not self._asks or plan["privileged"]:
                print(f"The plan waits: conductor plans approve {plan_id}")
                continue
            match self._asked("Apply? y: yes, n: discard it, e: change it, Enter: later. ").lower():
                case "y" | "yes":
                    self._apply(plan)
                case "e" | "edit":
                    change = self._asked("What shall be different? ")
                    if change:
                        self._reject(plan_id, "to be changed")
                        return change
                case "n" | "no":
                    self._reject(plan_id, "not wanted")
                    print("Discarded.")
                case _:
                    print("Nothing was done; the plan still waits.")
        return ""

    def _apply(self, plan: Plain) -> None:
        try:
            done = self._client.call(
                "terminal.chat.approve",
                plan_id=plan["plan_id"],
                diff_hash=hash_of(plan["diff_preview"].encode()),
                apply=True,
            )
        except ConductorError as error:
            print(f"conductor: {plain(error)}", file=sys.stderr)
            return
        print(plain_line(f"{done['status']}: {done['description']}"))

    def _reject(self, plan_id: str, reason: str) -> None:
        self._client.call("terminal.chat.reject", plan_id=plan_id, reason=reason)

    def _plan(self, plan_id: str) -> Plain:
        return self._client.call("conductor_get_plan", plan_id=plan_id)

    def _goes_on(self) -> bool:
        return self._asks and self._asked("Continue? [Y/n] ").lower() not in ("n", "no")

    def _asked(self, question: str) -> str:
        try:
            return input(question).strip()
        except EOFError:
            return ""

    def _code(self, message: Plain) -> int:
        if message["state"] == "complete":
            return ANSWERED
        failure = message["failure"]
        if failure is not None and not self._quiet:
            print(f"conductor: {plain(failure['message'])}", file=sys.stderr)
        return NO_ANSWER


def _conversation_of(news: Plain) -> str | None:
    inner = news.get("message") or news.get("conversation") or news
    return inner.get("conversation_id")
