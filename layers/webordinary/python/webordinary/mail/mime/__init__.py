"""Reads the bytes of a mail: MIME parts, encodings, addresses, subjects."""
