"""Sends chat requests to language models of any provider through one interface."""
