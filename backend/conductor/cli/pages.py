"""`conductor pages`: the pages in browsers, and the user's word that one is theirs."""

import argparse
import json
import sys

from conductor.cli.client import Client
from conductor.cli.words import plain_line
from conductor.errors import NotAllowed


def run(args: argparse.Namespace) -> int:
    """List pages, or confirm one."""
    if not sys.stdin.isatty():
        raise NotAllowed("pages are shown and confirmed at a terminal of yours, or in the window")
    return _list(args) if args.what == "list" else _confirm(args)


def _list(args: argparse.Namespace) -> int:
    pages = Client().call("terminal.pages.list")["pages"]
    if args.json:
        print(json.dumps(pages))
        return 0
    for page in pages:
        may = "may change things" if page["confirmed"] else "only shows things"
        place = "open" if page["opened"] else "not open"
        whose = f"given to {page['given_to']}" if page["given_to"] else "of this Conductor's start"
        print(plain_line(f"page {page['number']}  {place}, {may}, {whose}"))
    if not pages:
        print("No address of the page was given.")
    return 0


def _confirm(args: argparse.Namespace) -> int:
    question = f"Let page {args.number} change mappings, settings and plans as you do? [y/N] "
    if not args.yes and input(question).strip().lower() not in ("y", "yes"):
        print("Nothing was done; the page only shows things.")
        return 1
    done = Client().call("terminal.pages.confirm", number=args.number)
    print(f"page {done['number']} may change things now")
    return 0
