"""A site as its developer made it: its packages, its build, what is published of it, and where its words are."""
