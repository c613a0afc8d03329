"""The local knowledge base: documents and device profiles, and the search for texts that help to answer a
message.
"""
