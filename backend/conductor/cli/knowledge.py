"""`conductor knowledge`: searches the knowledge base, lists its sources, and builds or checks its index.

It works without a running Conductor.
"""

import argparse
import json
import os
import sys
import textwrap
import time
from collections.abc import Sequence
from contextlib import closing
from functools import partial
from pathlib import Path

from conductor.base.json_types import JsonObject
from conductor.base.paths import get_home_folder
from conductor.base.process_end import run_program
from conductor.base.resource_paths import MODEL_FILE, find_knowledge_paths
from conductor.cli import manuals
from conductor.cli.text import sanitize_text
from conductor.config.parse import decode_config_bytes, load_config
from conductor.domain.knowledge import Chunk, KnowledgeSource, ScoredChunk
from conductor.domain.settings import KnowledgeSettings
from conductor.errors import InvalidParams, NotAvailable
from conductor.knowledge.build import BuildReport, IndexSources, build_index
from conductor.knowledge.embedder import OnnxEmbedder
from conductor.knowledge.library import KnowledgeBase

FAILED_EXIT_CODE = 1


def main() -> int:
    """Run the program `conductor-knowledge`, which is a short form of `conductor knowledge`."""
    from conductor.cli.main import main as cli_main

    return run_program(partial(cli_main, ["knowledge", *sys.argv[1:]]))


def run(args: argparse.Namespace) -> int:
    """Search the knowledge base, list its sources, or build or check its index. Return the exit code."""
    verbs = {
        "search": _search_chunks,
        "sources": _list_sources,
        "add": manuals.add_manuals,
        "list": manuals.list_manuals,
        "remove": manuals.remove_manual,
        "build": _build_index,
        "check": _check_index,
    }
    return verbs[args.verb](args)


def _open_library() -> KnowledgeBase:
    settings = _read_settings()
    return KnowledgeBase(get_home_folder(), lambda: settings)


def _read_settings() -> KnowledgeSettings:
    path = get_home_folder() / "config.toml"
    if not path.exists():
        return KnowledgeSettings()
    return load_config(decode_config_bytes(path.read_bytes(), path.name), path.name)[0].knowledge


def _search_chunks(args: argparse.Namespace) -> int:
    if args.k < 1:
        raise InvalidParams("-k must be at least 1")
    query = " ".join(args.query)
    if args.stdin == bool(args.query):
        raise InvalidParams("pass either a query or --stdin, which reads one query per line")
    with closing(_open_library()) as library:
        return _print_results(library, query, args)


def _print_results(library: KnowledgeBase, query: str, args: argparse.Namespace) -> int:
    if args.stdin:
        for raw in sys.stdin.buffer:
            query = raw.decode("utf-8", "replace").rstrip("\r\n")
            print(
                json.dumps(_results_to_json(library.search_chunks(query, args.k, args.domain))),
                flush=True,
            )
        return 0
    found = library.search_chunks(query, args.k, args.domain)
    if args.json:
        print(json.dumps(_results_to_json(found)))
    elif found:
        print("\n\n".join(_format_chunk(item, full=args.full) for item in found))
        if not args.full:
            print("\nAdd --full to print the full texts.")
    else:
        print("No results.")
    return 0


def _results_to_json(found: Sequence[ScoredChunk]) -> JsonObject:
    return {"chunks": [_chunk_to_json(item) for item in found]}


def _chunk_to_json(found: ScoredChunk) -> JsonObject:
    chunk: Chunk = found.chunk
    return {
        "id": chunk.id,
        "domain": chunk.domain,
        "section_path": list(chunk.section_path),
        "content": chunk.content,
        "source": chunk.source,
        "source_title": chunk.source_title,
        "reference": chunk.reference,
        "revision": chunk.revision,
        "tokens": chunk.tokens,
        "score": found.score,
        "lexical": found.lexical,
        "dense": found.dense,
        "matched": list(found.matched),
    }


def _format_chunk(found: ScoredChunk, *, full: bool) -> str:
    chunk = found.chunk
    content = chunk.content if full else _shorten_content(chunk.content)
    heading = f"{found.score:.2f}  {' > '.join(chunk.section_path)}"
    source = f"Source: {chunk.reference or chunk.source_title}"
    return sanitize_text(f"{heading}\n{content}\n{source} [{chunk.id}]")


def _shorten_content(content: str) -> str:
    """Return the beginning of a text as at most two lines of 100 characters."""
    text = " ".join(line.strip() for line in content.splitlines() if not line.startswith("#"))
    return "\n".join(textwrap.wrap(text, 100, max_lines=2, placeholder=" ..."))


def _list_sources(args: argparse.Namespace) -> int:
    with closing(_open_library()) as library:
        found = library.list_sources()
    if args.json:
        print(json.dumps({"sources": [item.model_dump(mode="json") for item in found]}))
        return 0
    for item in found:
        print(sanitize_text(_format_source(item)))
    print(f"{sum(item.chunks for item in found)} chunks from {len(found)} sources.")
    return 0


def _format_source(source: KnowledgeSource) -> str:
    off = "" if source.enabled else "  (off)"
    return f"{source.chunks:>4}  {source.id:<40} {source.title}{off}"


def _build_index(args: argparse.Namespace) -> int:
    started = time.perf_counter()
    if not args.fit and args.sources is None and args.output is None and args.model is None:
        with closing(_open_library()) as library:
            report = library.rebuild_index(_print_progress)
    else:
        report = _build_custom_index(args)
    if args.json:
        print(json.dumps(_report_to_json(report)))
    else:
        _print_report(report, time.perf_counter() - started)
    return 0


def _build_custom_index(args: argparse.Namespace) -> BuildReport:
    """Build an index from the sources, with the model, or in the folder that the arguments name."""
    paths = find_knowledge_paths(args.output or get_home_folder())
    output: Path = args.output or paths.own
    if output.suffix == ".db" and output.name != "knowledge.db":
        raise InvalidParams(f"--output {output}: the file must be named knowledge.db")
    target = output.parent if output.suffix == ".db" else output
    model: Path = args.model or paths.model_file
    if args.model is not None and model.is_dir():
        model = model / MODEL_FILE
    embedder = OnnxEmbedder(model)
    if args.model is not None and not embedder.has_model_files:
        raise NotAvailable(
            f"{model} or the file tokenizer.json next to it is missing; check the path of the model"
        )
    sources = IndexSources(args.sources or paths.sources, None if args.sources else paths.guide)
    available_embedder = embedder if embedder.has_model_files else None
    reuse = (paths.index / "knowledge.db",)
    return build_index(
        sources,
        target,
        available_embedder,
        _print_progress,
        reuse,
        threads=os.cpu_count() or 1,
        fit_anew=args.fit,
    )


def _print_progress(step: str, done: int, total: int) -> None:
    """Print the progress over the previous line, if standard error is a terminal."""
    if sys.stderr.isatty():
        count = f" {done} of {total}" if total > 1 else ""
        print(f"\r\x1b[K{step}{count}", end="", file=sys.stderr, flush=True)


def _report_to_json(report: BuildReport) -> JsonObject:
    return {
        "path": str(report.path),
        "chunks": report.chunks,
        "tokens": report.tokens,
        "domains": report.domains,
        "vectors": report.vectors,
        "reused": report.reused_vectors,
        "size_bytes": report.size_bytes,
        "fingerprint": report.fingerprint,
        "model": report.has_model,
        "warnings": list(report.warnings),
    }


def _print_report(report: BuildReport, seconds: float) -> None:
    if sys.stderr.isatty():
        print("\r\x1b[K", end="", file=sys.stderr, flush=True)
    for warning in report.warnings:
        print(f"warning: {sanitize_text(warning)}", file=sys.stderr)
    for domain, count in report.domains.items():
        print(f"  {domain:<10} {count:>4} chunks")
    print(f"{report.chunks} chunks, about {report.tokens:,} tokens.")
    print(f"{report.vectors} vectors, {report.reused_vectors} reused.")
    if not report.has_model:
        print("No embedding model found: searches only match words.")
    print(
        f"{sanitize_text(str(report.path))}: {report.size_bytes / 1e6:.1f} MB in {seconds:.1f} s."
    )


def _check_index(args: argparse.Namespace) -> int:
    with closing(_open_library()) as library:
        status = library.get_status()
    if args.json:
        print(json.dumps(status.model_dump(mode="json")))
    elif status.built:
        domains = sum(count > 0 for count in status.domains.values())
        print(f"{status.chunks} chunks indexed across {domains} domains.")
        print(
            f"{status.size_bytes / 1e6:.1f} MB on disk, built {status.built_at or 'at an unknown time'}."
        )
    if status.problem and not args.json:
        print(f"conductor: {sanitize_text(status.problem)}", file=sys.stderr)
    return FAILED_EXIT_CODE if status.problem else 0
