"""One module per function, of the same name: what it decides. Each step builds itself from its settings."""
