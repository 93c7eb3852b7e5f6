"""The HTTP face of studies: an API for machines, and the place for pages for people."""
