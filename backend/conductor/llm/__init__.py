"""Model providers: sends requests to language models through one interface for all SDKs."""
