"""`conductor pages`: lists the pages in browsers, and confirms that one belongs to the user."""

import argparse
import json
import sys

from conductor.cli.client import SocketClient
from conductor.cli.text import sanitize_line
from conductor.errors import NotAllowed


def run(args: argparse.Namespace) -> int:
    """List the pages in browsers, or confirm one of them. Return the exit code."""
    if not sys.stdin.isatty():
        raise NotAllowed(
            "confirming pages needs you at a terminal; run this command in a terminal, or use the window"
        )
    return _list_pages(args) if args.verb == "list" else _confirm_page(args)


def _list_pages(args: argparse.Namespace) -> int:
    pages = SocketClient().call_method("terminal.pages.list")["pages"]
    if args.json:
        print(json.dumps(pages))
        return 0
    for page in pages:
        access = "can make changes" if page["confirmed"] else "read-only"
        state = "open" if page["opened"] else "not open"
        requester = page["given_to"]
        origin = f"requested by {requester}" if requester else "opened when Conductor started"
        print(sanitize_line(f"page {page['number']}  {state}, {access}, {origin}"))
    if not pages:
        print("No pages.")
    return 0


def _confirm_page(args: argparse.Namespace) -> int:
    question = f"Allow page {args.number} to change mappings, settings and plans? [y/N] "
    if not args.yes and input(question).strip().lower() not in ("y", "yes"):
        print("Nothing changed; the page stays read-only.")
        return 1
    done = SocketClient().call_method("terminal.pages.confirm", number=args.number)
    print(f"Page {done['number']} can now make changes.")
    return 0
