"""The desktop window: its process, Qt shell and tray, and the supervisor in the app."""
