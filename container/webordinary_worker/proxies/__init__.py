"""Proxies between confined processes and the network: model, egress and live previews."""
