"""What the pages show. Each page makes a bounded number of calls, however large the deployment is."""
