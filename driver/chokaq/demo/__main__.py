"""``python -m chokaq.demo``."""

from .command import main

# The worker processes import this module under another name.
if __name__ == "__main__":
    main(prog_name="python -m chokaq.demo")
