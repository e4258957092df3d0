"""Adapters for AWS: clients, queues, ECS tasks, STS sessions, telemetry."""
