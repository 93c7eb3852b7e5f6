"""Archives of recorded solutions: learning from them, and the effort it would have saved."""
