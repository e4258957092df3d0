"""The worker: claims one pair, runs its jobs with Claude Code and Astro, and ends.

`wiring` makes all objects, `runtime` runs the process and drives the worker protocol, `jobs` runs one job. The agent
and the site's own code run confined, without credentials, and end with the worker.
"""
