"""The designs of the founding documents, each a short module over the one table of rules."""
