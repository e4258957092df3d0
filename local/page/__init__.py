"""The page of the local stack: mailbox, conversations and sites."""
