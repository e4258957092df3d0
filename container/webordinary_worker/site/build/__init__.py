"""Builds a site in a confined process and collects its output."""
