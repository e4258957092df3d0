"""Opens what mail programs wrap mails in: winmail.dat, opaque S/MIME, mails as files, calendar entries."""
