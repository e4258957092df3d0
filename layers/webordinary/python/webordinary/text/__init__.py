"""Text formats that several rooms read: HTML to plain text."""
