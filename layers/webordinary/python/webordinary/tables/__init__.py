"""One module per DynamoDB table. Each states what its table promises and is the only one that writes it."""
