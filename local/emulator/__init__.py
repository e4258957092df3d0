"""AWS on one machine: moto behind an HTTP server with its gaps closed, and functions in AWS's own runtime client.

Start it with `python -m local.emulator --port 0 --state DIR --runtime DIR`. What differs from AWS is written in the
docstrings of `gaps/`, one unit per service. To run one function without any emulator, see `functions.Sandbox`.
"""
