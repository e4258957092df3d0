"""Replies to customers: every sentence that a person reads, and the code that composes a reply from codes and facts.

One module per language holds the sentences as data (`english`). The modules that compose contain none: `job_answers`,
`refusal_answers`, `publisher_questions` and `developer_notes`, with `parts`, `pages` and `risks` in common.
"""
