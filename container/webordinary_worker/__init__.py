"""The worker: waits without a project, claims a pair, carries out its jobs with Claude Code and Astro, lets go.

`pool` waits and claims, `serving` takes a pair's jobs one by one, `commands` carries one out; every step of a job is a
module of its own. The agent and the site's own code run confined (`processes`): without credentials, in process
groups that end with the worker.
"""
