"""What every room stands on: the contract and its names, settings, clients, messages, queues and errors."""
