"""Inspects a site: its map for the agent, and the report of `make check-site`."""
