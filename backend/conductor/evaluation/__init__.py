"""A benchmark of models, which judges a request by what gestures do under the resulting config."""
