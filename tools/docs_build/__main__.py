"""``python -m tools.docs_build`` writes the generated pages and diagrams; ``--check`` only compares.

Exit code 1 when something is not current.
"""

from __future__ import annotations

import sys
from pathlib import Path

from chokaq.deploy.scripts import load_package

from . import diagrams, errors_page, permissions_page, procedures_page, schema_page


def pages(root: Path) -> dict[str, str]:
    """The pages by path."""
    package = load_package(root)
    registry = (root / "db" / "errors.md").read_text(encoding="utf-8")
    return {
        "docs/schema.md": schema_page.render(package),
        "docs/procedures.md": procedures_page.render(package),
        "docs/errors.md": errors_page.render(package, registry),
        "docs/permissions.md": permissions_page.render(package),
    }


def stale(root: Path) -> list[str]:
    """What is not current."""
    found = []
    for path, text in pages(root).items():
        file = root / path
        if not file.is_file() or file.read_text(encoding="utf-8") != text:
            found.append(f"{path} is not current")
    return [*found, *diagrams.stale(root)]


def main(root: Path, *, check: bool) -> int:
    if check:
        found = stale(root)
    else:
        for path, text in pages(root).items():
            (root / path).write_text(text, encoding="utf-8", newline="\n")
        found = list(diagrams.draw(root))
    for each in found:
        print(f"{each}; run ./dev docs" if check else each)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(Path.cwd(), check="--check" in sys.argv[1:]))
