"""Words and patterns of many languages, as data, and how they are compared."""
