"""Storage and hosting of sites: releases, hosts and paths, screenshots."""
