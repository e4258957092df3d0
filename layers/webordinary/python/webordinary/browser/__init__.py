"""A browser that looks at pages nobody vouches for: Chromium as it is packed for Lambda, driven through a pipe."""
