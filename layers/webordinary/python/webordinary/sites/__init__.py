"""Where sites are stored and served: releases, hosts and paths, screenshots."""
