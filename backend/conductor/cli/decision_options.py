"""The options of the commands by which the user decides: pages, plans and approvals."""

import argparse


def add_pages(parser: argparse.ArgumentParser) -> None:
    what = parser.add_subparsers(dest="what", metavar="list|confirm", required=True)
    listing = what.add_parser("list", help="every page that an address was given for")
    listing.add_argument("--json", action="store_true", help="print one JSON array")
    confirm = what.add_parser("confirm", help="let a page of a second start change things")
    confirm.add_argument("number", type=int)
    confirm.add_argument("--yes", action="store_true", help="do not ask again")


def add_plans(parser: argparse.ArgumentParser) -> None:
    what = parser.add_subparsers(dest="what", metavar="list|show|approve|reject", required=True)
    listing = what.add_parser("list", help="all plans, newest first")
    listing.add_argument("--json", action="store_true", help="print one JSON object")
    show = what.add_parser("show", help="one plan with its diff and its proof")
    show.add_argument("plan_id")
    show.add_argument("--json", action="store_true", help="print one JSON object")
    approve = what.add_parser("approve", help="approve a plan and apply it")
    approve.add_argument("plan_id")
    approve.add_argument("--yes", action="store_true", help="do not ask again")
    approve.add_argument(
        "--break-examples", action="store_true", help="with --yes: also if kept examples break"
    )
    approve.add_argument(
        "--no-apply", action="store_true", help="leave applying it to who asked for it"
    )
    reject = what.add_parser("reject", help="turn a plan down")
    reject.add_argument("plan_id")
    reject.add_argument("--reason", default="", help="told to who asked for it")


def add_approvals(parser: argparse.ArgumentParser) -> None:
    what = parser.add_subparsers(dest="what", metavar="list|ask|allow|deny", required=True)
    listing = what.add_parser("list", help="what waits, with everything that would be sent")
    listing.add_argument("--json", action="store_true", help="print one JSON array")
    ask = what.add_parser("ask", help="see a call and decide about it; what is no yes is a no")
    ask.add_argument("approval_id")
    allow = what.add_parser("allow", help="allow a call, after you have seen it")
    allow.add_argument("approval_id")
    longer = allow.add_mutually_exclusive_group()
    longer.add_argument(
        "--conversation", action="store_true", help="and such calls in its conversation"
    )
    longer.add_argument("--always", action="store_true", help="and such calls from now on")
    allow.add_argument("--yes", action="store_true", help="do not ask again")
    deny = what.add_parser("deny", help="turn a call down")
    deny.add_argument("approval_id")
    deny.add_argument("--never", action="store_true", help="and every call of this tool")
