"""A benchmark of models: what is asked for in words is judged by what gestures do afterwards."""
