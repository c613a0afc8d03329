"""The desktop window: the process that shows it, with Qt and the tray icon, and the supervisor in the app
process.
"""
