"""Says what each line of a mail is: text, quote, attribution, header block."""
