"""Finds what follows a message: signature, device line, footer."""
