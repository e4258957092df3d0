"""Runs Claude Code: prompts, its process, its messages, its transcripts and its structured statement."""
