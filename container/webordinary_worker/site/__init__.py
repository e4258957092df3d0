"""A customer's site: its packages, its build and the inspection of its source."""
