"""Shows a site while the agent edits it. Optional: a worker without it behaves the same otherwise."""
