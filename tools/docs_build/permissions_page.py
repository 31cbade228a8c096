"""docs/permissions.md: which role may execute which procedure."""

from __future__ import annotations

from chokaq.deploy.grants import granted, roles
from chokaq.deploy.scripts import DEFAULT_SCHEMA, SqlPackage

from .markdown import page, table
from .procedures import procedures

_ROLES = {
    "producer": "an application that enqueues and cancels",
    "worker": "an application that executes jobs",
    "operator": "people and tools that look after queues and dead letters",
    "reader": "dashboards and alerts",
}

_INTRO = (
    "Every deployment makes the roles that are missing and grants again. The roles hold EXECUTE on "
    "procedures and nothing on tables or types: procedures and tables have one owner, so SQL Server "
    "asks for no right on the tables, and no procedure uses dynamic SQL, which would end that."
)

_MEMBERS = (
    "Put the application's user into a role: `ALTER ROLE [chokaq_worker] ADD MEMBER [shop_app];`. An "
    "application that both enqueues and works is in two roles."
)
_DEPLOYING = (
    "Deploying needs more than using: the rights to create tables, procedures, types, a schema and roles "
    "(`db_ddladmin` with `db_securityadmin`, or `db_owner`). Nothing needs a right on the server."
)


def render(package: SqlPackage) -> str:
    """The page."""
    suffixes = [
        name.removeprefix(f"{DEFAULT_SCHEMA}_") for name in roles(package.permissions, DEFAULT_SCHEMA)
    ]
    suffixes.sort(key=lambda each: list(_ROLES).index(each))
    allowed = {
        (grant.object.lower(), grant.grantee.removeprefix(f"{DEFAULT_SCHEMA}_"))
        for grant in granted(package.permissions, DEFAULT_SCHEMA)
    }
    rows = []
    internal = []
    for each in sorted(procedures(package), key=lambda found: found.name):
        marks = ["✓" if (each.name.lower(), suffix) in allowed else "" for suffix in suffixes]
        if any(marks):
            rows.append((f"[{each.name}](procedures.md#{each.name.lower()})", *marks))
        else:
            internal.append(each.name)
    lines = [
        _INTRO,
        "",
        *table(("role", "for"), [(f"`chokaq_{each}`", _ROLES[each]) for each in suffixes]),
        _MEMBERS,
        "",
        *table(("procedure", *suffixes), rows),
        f"Internal, granted to nobody: {', '.join(internal)}.",
        "",
        _DEPLOYING,
    ]
    return page("Permissions", "db/permissions and the headers in procs", lines)
