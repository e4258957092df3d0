"""Access to the git repositories of projects: GitHub Apps and installation tokens."""
