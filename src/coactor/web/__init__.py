"""The HTTP server: an API for programs and pages for people."""
