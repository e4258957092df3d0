"""Processes, logs and events of the local stack."""
