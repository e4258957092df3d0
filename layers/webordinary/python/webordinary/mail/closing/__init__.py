"""Finds what stands below a message: signature, device line, footer."""
