"""Serves agents on other computers over TLS, after the user has allowed each of them with OAuth 2.1."""
