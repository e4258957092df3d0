"""Everything the parts of the system agree on: names, limits, ids, messages, settings and errors."""
