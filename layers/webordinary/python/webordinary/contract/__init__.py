"""The contract between components: names, limits, ids, messages, settings and errors."""
