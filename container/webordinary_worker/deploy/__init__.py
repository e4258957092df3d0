"""Uploads built sites: previews, the live site and its releases, and the list of changed pages."""
