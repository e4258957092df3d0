"""Separates new text from earlier mails of the thread."""
