"""A benchmark of models: a request in words is judged by what gestures do in the resulting config."""
