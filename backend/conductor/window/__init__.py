"""The window process, Qt shell, tray, and the app's end of the link to them."""
