"""Imports what an engine process imports, in the same way."""

from importlib import import_module

from conductor.base import field_docs

field_docs.docs_enabled = False
import_module("conductor.runtime.process")
