"""Readers of files that other people's tools write; each checks everything before it returns anything."""

from coactor.loaders.letor import read_groups, read_letor

__all__ = ["read_groups", "read_letor"]
