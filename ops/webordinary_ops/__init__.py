"""The operator's command `webordinary`: manages a deployment on AWS or the local stack."""
