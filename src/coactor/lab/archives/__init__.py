"""Archives of recorded solutions: learn from them, and measure how much effort learning would have saved."""
