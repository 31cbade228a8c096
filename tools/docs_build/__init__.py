"""Writes the generated pages of docs/ from the ``.sql`` files and the error registry."""
