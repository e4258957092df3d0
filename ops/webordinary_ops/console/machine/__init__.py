"""The state machine as a drawing: `definition` reads the ASL, `layout` places states, `execution_path` marks a path."""
