"""Starts and stops the whole system on one machine."""
