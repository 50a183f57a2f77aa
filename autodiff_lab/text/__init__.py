"""Text: notation, numbers, messages and their catalogue, tables of text, checks of arguments."""
