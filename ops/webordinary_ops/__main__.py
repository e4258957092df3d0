"""`python -m webordinary_ops` is `webordinary`."""

from __future__ import annotations

import sys

from webordinary_ops.cli import main

sys.exit(main())
