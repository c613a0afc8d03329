"""Records events and reads recordings back."""
