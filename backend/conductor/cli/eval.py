"""`conductor eval`: measures how well a model solves tasks with Conductor, up to a limit for the cost."""

import argparse
import asyncio
import json
import math
import sys
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

from conductor import __version__
from conductor.app.llm_services import LlmServices
from conductor.base.json_types import JsonObject
from conductor.base.paths import get_home_folder
from conductor.config.parse import decode_config_bytes, load_config
from conductor.domain.chat.messages import Usage
from conductor.domain.settings import LlmSettings
from conductor.errors import InvalidParams, NotAvailable
from conductor.evaluation.case import Case, choose_cases
from conductor.evaluation.estimate import estimate_tokens
from conductor.evaluation.run import run_suite
from conductor.evaluation.score import Result, Summary, summarize_results
from conductor.evaluation.staged import Model
from conductor.llm.prices import compute_request_cost
from conductor.storage.records import Records

FATAL_FAILURE_KINDS = ("no_key", "auth", "quota", "model_not_found")
"""After a failure of one of these kinds the run ends, because every further case would fail as well."""
INCOMPLETE_EXIT_CODE = 1


def run(args: argparse.Namespace) -> int:
    """List the evaluation cases, or run them with a model. Return the exit code."""
    return _list_cases(args) if args.verb == "list" else _run_eval(args)


def _list_cases(args: argparse.Namespace) -> int:
    cases = choose_cases(args.suite)
    if args.json:
        print(json.dumps({"cases": [case.model_dump(mode="json") for case in cases]}))
        return 0
    for case in cases:
        print(f"{case.id:<28} {case.family:<12} {case.turns[0].say}")
    print(
        f"{len(cases)} cases; one run of all cases takes about {_format_tokens(estimate_tokens(cases))}."
    )
    return 0


def _run_eval(args: argparse.Namespace) -> int:
    if not 0 < args.max_cost < math.inf or args.runs < 1:
        raise InvalidParams("--max-cost must be greater than 0 and --runs at least 1")
    if args.model is not None and not args.model.isprintable():
        raise InvalidParams(
            "--model contains an unprintable character; check the name of the model"
        )
    if args.json:
        _require_writable(args.json)
    cases = choose_cases(args.suite, tuple(args.case))
    records = Records(None)
    try:
        return _run_cases(args, cases, LlmServices(get_home_folder(), _read_settings, records))
    finally:
        records.close()


def _require_writable(path: Path) -> None:
    """Check that the results can be written to a file, before the run costs money.

    Raises:
        OSError: The file cannot be written.
    """
    is_new = not path.exists()
    path.open("a").close()
    if is_new:
        path.unlink()


def _run_cases(args: argparse.Namespace, cases: Sequence[Case], services: LlmServices) -> int:
    model = Model(services.providers.get_provider(args.provider), args.model, compute_request_cost)
    if not model.name():
        raise InvalidParams(f"{args.provider} has no default model; choose one with --model NAME")
    if not _confirm_cost(cases, model, args):
        return INCOMPLETE_EXIT_CODE
    results: list[Result] = []
    try:
        asyncio.run(_run_and_print_cases(cases, model, args, results, services))
    except KeyboardInterrupt:
        print("Stopped.", file=sys.stderr)
    summary = summarize_results(results)
    print("\n".join(format_summary(summary)))
    is_complete = len(results) == len(cases) * args.runs
    if not is_complete:
        print(f"{len(results)} of {len(cases) * args.runs} runs completed.")
    if args.json:
        report = _build_report(args, model, summary, results)
        args.json.write_text(json.dumps(report, indent=1), encoding="utf-8")
        print(f"Results written to {args.json}.")
    return 0 if is_complete else INCOMPLETE_EXIT_CODE


def _read_settings() -> LlmSettings:
    path = get_home_folder() / "config.toml"
    if not path.exists():
        return LlmSettings()
    return load_config(decode_config_bytes(path.read_bytes(), path.name), path.name)[0].llm


def _confirm_cost(cases: Sequence[Case], model: Model, args: argparse.Namespace) -> bool:
    """Print the expected cost. Return whether the user agrees to it."""
    expected = estimate_tokens(cases, args.runs)
    price = compute_request_cost(model.provider.kind, model.name(), expected)
    unknown = "price unknown, so --max-cost has no effect"
    limit = unknown if price is None else f"about ${price:.2f}, at most ${args.max_cost:g}"
    print(f"{len(cases)} cases, {args.runs} run(s) each, with {args.provider} {model.name()}:")
    print(f"about {_format_tokens(expected)}; {limit}.")
    if args.yes:
        return True
    if not sys.stdin.isatty():
        raise InvalidParams("this run costs money; confirm it at a terminal, or add --yes")
    return input("Continue? [y/N] ").strip().lower() in ("y", "yes")


async def _run_and_print_cases(
    cases: Sequence[Case],
    model: Model,
    args: argparse.Namespace,
    results: list[Result],
    services: LlmServices,
) -> None:
    try:
        async for result in run_suite(cases, model, args.runs, args.max_cost):
            if result.failure is not None and result.failure.kind in FATAL_FAILURE_KINDS:
                raise NotAvailable(result.failure.message)
            results.append(result)
            print(_format_result(result), flush=True)
    finally:
        await services.providers.close()


def _format_result(result: Result) -> str:
    mark = "pass" if result.passed else "FAIL"
    usage = result.usage
    price = "" if usage.cost_usd is None else f"  ${usage.cost_usd:.4f}"
    numbers = f"{usage.requests} requests{price}  {result.latency_s:.1f} s"
    why = "" if result.passed else f"  {result.reasons[0]}"
    return f"{mark}  {result.case:<28} {numbers}{why}"


def format_summary(summary: Summary) -> list[str]:
    """Return the lines that summarise all results."""
    low, high = (f"{100 * bound:.0f}" for bound in (summary.interval.low, summary.interval.high))
    usage = summary.usage
    price = "unknown" if usage.cost_usd is None else f"${usage.cost_usd:.4f}"
    share = f"{100 * summary.pass_rate:.0f} %, 95 % confidence interval {low} to {high} %"
    rows = [
        f"passed            {summary.passed} of {summary.runs} ({share})",
        f"pass^k            {100 * summary.pass_all_runs:.0f} % of {summary.cases} cases passed in every run",
    ]
    if summary.valid_first_try is not None:
        rows.append(f"valid first try   {100 * summary.valid_first_try:.0f} %")
    rows += [
        f"requests per run  {summary.requests_per_case:g}",
        f"tokens            {_format_tokens(usage)}, {usage.cache_read_tokens:,} cached",
        f"cost              {price}",
        f"time per run      {summary.latency_s:.1f} s (median)",
    ]
    weak = {name: part for name, part in summary.families.items() if part < 1}
    rows += [f"weak in           {name}: {100 * part:.0f} %" for name, part in weak.items()]
    return rows


def _build_report(
    args: argparse.Namespace, model: Model, summary: Summary, results: Sequence[Result]
) -> JsonObject:
    return {
        "conductor": __version__,
        "at": datetime.now(UTC).isoformat(timespec="seconds"),
        "provider": args.provider,
        "kind": model.provider.kind,
        "model": model.name(),
        "suite": args.suite,
        "runs": args.runs,
        "max_cost_usd": args.max_cost,
        "summary": summary.model_dump(mode="json"),
        "results": [result.model_dump(mode="json") for result in results],
    }


def _format_tokens(usage: Usage) -> str:
    return f"{usage.input_tokens:,} tokens in and {usage.output_tokens:,} out"
