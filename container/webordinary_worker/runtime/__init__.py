"""Runs the worker's process: main loop, background tasks, health file, broker and AWS clients."""
