"""Questions to publishers, and the mails that answer them."""
