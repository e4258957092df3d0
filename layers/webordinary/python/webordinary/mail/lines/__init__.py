"""Classifies the lines of a mail: text, quote, attribution, header block and so on."""
