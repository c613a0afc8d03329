"""Finds the foreground app in GNOME on Wayland, which only an extension of GNOME Shell can reveal."""
