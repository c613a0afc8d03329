"""The library of knowledge with the real model, as its own tests make it."""

from tests.knowledge.conftest import library, shipped, where

__all__ = ["library", "shipped", "where"]
