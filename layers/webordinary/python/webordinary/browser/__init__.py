"""A browser for untrusted pages: Chromium packaged for Lambda, controlled over a pipe."""
