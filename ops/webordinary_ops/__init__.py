"""The operator's command `webordinary`: looks after a deployment, on AWS and on one machine alike."""
