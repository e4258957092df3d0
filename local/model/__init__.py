"""A stand-in for the model: it implements the Messages API and edits small websites by fixed rules.

With it the whole system, including the real Claude Code, runs without network access and without an API key. It
understands only the sentences listed in `local.model.instructions`.
"""
