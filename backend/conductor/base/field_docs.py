"""Controls whether pydantic reads the docstrings of model fields, which parses the source of every model.

Schemas, tools and the reference need these docstrings; the engine does not, and the user's mappings are dead
until it has restarted after a crash: its imports take 0.42 s of CPU time without them and 0.60 s with them.
"""

docs_enabled = True
"""Evaluated when a model class is defined, so it must be set before `conductor.domain` is imported."""
