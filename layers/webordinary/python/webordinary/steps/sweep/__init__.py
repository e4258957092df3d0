"""The sweep function and its chores, one module each."""

from webordinary.steps.sweep.sweep import Sweep

__all__ = ["Sweep"]
