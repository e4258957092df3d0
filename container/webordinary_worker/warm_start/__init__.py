"""Caches for a pair's next worker. Optional: a missing or damaged cache only costs time."""
