"""Retrieval from the local knowledge base."""
