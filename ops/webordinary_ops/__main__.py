"""`python -m webordinary_ops` is `webordinary`."""

from __future__ import annotations

import sys

try:
    from webordinary_ops.cli import main

    sys.exit(main())
except KeyboardInterrupt:  # also while the modules are loaded
    sys.exit(130)
