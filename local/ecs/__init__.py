"""Runs ECS tasks on this machine: workers as processes or containers."""
