"""The local knowledge base: documents and device profiles, and the search for texts that answer a message."""
