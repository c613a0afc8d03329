"""Recognizes links among the names of programs, apps and files."""


def is_url(app: str) -> bool:
    """Return whether a text is a URL such as `https://...` or `mailto:...`."""
    scheme, separator, _ = app.partition(":")
    return bool(separator) and len(scheme) > 1 and scheme[0].isalpha() and "/" not in scheme
