"""The sweep function and its cleanup tasks."""

from webordinary.steps.sweep.sweep import Sweep

__all__ = ["Sweep"]
