"""Tools of the repository itself: not part of the package, so no wheel carries them."""
