"""The names of attachments are made safe by the function that everybody uses."""

from webordinary.platform.file_names import safe_name as safe_name
