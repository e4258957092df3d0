"""Git repositories: clones, thread trees, the main branch, submodules and credentials."""
