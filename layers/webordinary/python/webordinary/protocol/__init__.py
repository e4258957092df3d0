"""What workers and functions agree on beyond single tables: how a pair is served, and how a job's end is told."""
