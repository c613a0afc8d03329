"""The user's own manuals: reads, splits, indexes and searches PDF and text files that the user adds."""
