"""Uploads built sites to previews and to the live site, and lists the changed pages."""
