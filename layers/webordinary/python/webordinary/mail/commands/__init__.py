"""Finds commands in a mail: the words, the objects they act on, and consent."""

from webordinary.mail.commands.finder import find_command

__all__ = ["find_command"]
