"""Replies to customers: every sentence that a person reads, and the code that composes a reply from codes and facts.

One module per language holds the sentences as data (`english`); `compose` selects sentences and contains none.
"""
