"""Whether models read the documentation of their fields, which takes pydantic a parse of each model's source.

Schemas, tools and the reference are made of it. The engine makes none of them, and whoever plays waits for it
to start again after a crash: without it its imports take 0.42 s of processor time, with it 0.60.
"""

are_read = True
"""Looked at when a model is defined, so it must be set before the imports."""
