"""A stand-in for the model: it speaks the Messages API and edits small websites by plain rules.

It exists so that the whole system, the real Claude Code included, runs without a network and without an API key.
It is not a model: it understands only the few kinds of sentences listed in `local.model.instructions`.
"""
