"""Confined processes: users, limits, sandbox, cancellation, cleanup and safe copies."""
