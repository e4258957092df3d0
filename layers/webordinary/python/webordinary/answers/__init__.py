"""Answers: every sentence that a person reads, and how an answer is put together from codes and facts.

One module per language holds the sentences as data (`english`); `compose` chooses among them and knows no words itself.
"""
