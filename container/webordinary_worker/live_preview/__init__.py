"""Serves a site while the agent edits it. Optional: without it, jobs run the same."""
