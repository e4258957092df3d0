"""The logic of each function, in a module of the same name. Each step is built from its settings."""
