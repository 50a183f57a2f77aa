"""Tests of the systems: each design of the founding documents, held to what its document says."""
