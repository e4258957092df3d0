"""Finds the command of a mail: its words, the objects that it acts on, and consent."""

from webordinary.mail.commands.finder import find_command

__all__ = ["find_command"]
