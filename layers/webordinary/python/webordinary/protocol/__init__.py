"""Protocols that span several tables: how a worker serves a pair, and how an execution learns its job's outcome."""
