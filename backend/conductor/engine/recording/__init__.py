"""Records what was played, and reads it back."""
