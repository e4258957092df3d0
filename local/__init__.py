"""The whole system on one machine: the AWS emulator, the pumps around it, and the programs that join them."""

import sys
from pathlib import Path

# The domain package lives where it is packaged as a layer, the worker where its image is built. The programs here use
# both without being installed.
for _folder in ("layers/webordinary/python", "container"):
    _place = str(Path(__file__).resolve().parent.parent / _folder)
    if _place not in sys.path:
        sys.path.append(_place)
