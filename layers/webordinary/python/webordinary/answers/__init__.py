"""Every sentence that a person reads, and how an answer is put together."""
