"""A benchmark of models for the chat. It judges an answer by what gestures do under the resulting config."""
