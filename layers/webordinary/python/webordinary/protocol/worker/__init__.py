"""The worker protocol: claim a pair, serve its jobs one by one, release the lease, leave no job waiting.

It has no background tasks and no clock. A *host* provides both: the shipped worker's host uses operating-system
threads, the model test's host uses a scheduler in virtual time. Both drive this same code.
"""
