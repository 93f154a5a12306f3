"""Foreign text made safe, escaped and laid out."""
