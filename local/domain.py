"""The names that the local stack imports from the domain package and the worker.

These packages are not installed, so this module first adds their folders and that of the operator's command to
`sys.path`.
"""

from __future__ import annotations

import sys

from local.paths import DOMAIN_PACKAGE, OPERATORS_PACKAGE, WORKER_PACKAGE

if str(DOMAIN_PACKAGE) not in sys.path:
    sys.path += [str(DOMAIN_PACKAGE), str(OPERATORS_PACKAGE), str(WORKER_PACKAGE)]

from webordinary.contract.models import known_models
from webordinary.contract.names import Names, attachment_part_key, branch_of, preview_prefix, site_prefix
from webordinary.contract.settings import NETWORK_VARIABLES
from webordinary.contract.values import limit, pattern
from webordinary.mail.parsing import open_mail
from webordinary.sites.hosting import Site, keys_of, moved_preview, site_of
from webordinary_worker.proxies.egress_proxy import relay_bytes
from webordinary_worker.proxies.preview_proxy import NOT_SHOWN

__all__ = [
    "NETWORK_VARIABLES",
    "NOT_SHOWN",
    "Names",
    "Site",
    "attachment_part_key",
    "branch_of",
    "keys_of",
    "known_models",
    "limit",
    "moved_preview",
    "open_mail",
    "pattern",
    "preview_prefix",
    "relay_bytes",
    "site_of",
    "site_prefix",
]
