"""The worker: waits without a project, claims a pair, carries out its jobs with Claude Code and Astro, lets go.

`pool` waits and claims, `host` and `threads` drive the protocol of a pair, `job_run` carries one job out: `commands`
has a function for each command, `job_context` what they share. Every program is started by `processes`; the agent and
the site's own code run confined, without credentials, in process groups that end with the worker.
"""
