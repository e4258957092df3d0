"""Runs one job: its state and outcome, the build and deploy pipeline, and one module per group of commands."""
