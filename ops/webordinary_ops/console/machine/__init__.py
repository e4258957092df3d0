"""The state machine as a drawing: `definition` reads the ASL, `layout` places its states, `way` is a mail's path."""
