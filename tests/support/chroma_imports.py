"""Imports what a process of chromadb imports, in the same way."""

from importlib import import_module

from conductor.knowledge import chroma
from conductor.knowledge.chroma_process import main

with chroma._change_to_empty_folder():  # pyright: ignore[reportPrivateUsage]
    chroma._stub_trace_exporter()  # pyright: ignore[reportPrivateUsage]
    import_module("chromadb")

__all__ = ["main"]
