"""Installs a site's packages without running its scripts."""
