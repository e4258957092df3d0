"""An AWS emulator: moto over HTTP with patches for its gaps, and functions in AWS's own runtime client.

Start it with `python -m local.emulator --port 0 --state DIR --runtime DIR`. The docstrings of `gaps/` list the
differences from AWS by service. To run one function without the emulator, see `functions.Sandbox`.
"""
