"""Where a database is: embedded:// and mssql:// URLs and ODBC connection strings, read into a ``Target``.

A target never shows its password: not in ``repr``, not in ``str``, and ``Target.scrub`` takes it out of any
other text. Texts of errors raised here never repeat their input, because a mistyped URL has the password in
an unexpected place.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from urllib.parse import quote, unquote

from .errors import InvalidUrlError, UnknownEngineError

__all__ = ["KNOWN_SCHEMES", "Target", "odbc_quote", "parse", "parse_odbc", "scrub_generic"]

KNOWN_SCHEMES = ("embedded", "mssql")

_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.\-]*)://")
_BAD_PERCENT = re.compile(r"%(?![0-9A-Fa-f]{2})")
_KEYWORD = re.compile(r"[A-Za-z][A-Za-z0-9_ ]*")
_HOST = re.compile(r"[A-Za-z0-9_.\-]+")

# Query keys with a name of their own; any other key is handed to the ODBC driver as it is written.
_BOOLEAN_KEYS = {
    "trust_server_certificate": "TrustServerCertificate",
    "trustservercertificate": "TrustServerCertificate",
    "multi_subnet_failover": "MultiSubnetFailover",
    "multisubnetfailover": "MultiSubnetFailover",
    "trusted_connection": "Trusted_Connection",
}
_TEXT_KEYS = {
    "app": "APP",
    "application_name": "APP",
    "application_intent": "ApplicationIntent",
    "authentication": "Authentication",
    "host_name_in_certificate": "HostNameInCertificate",
    "server_certificate": "ServerCertificate",
}
_ENCRYPT_VALUES = {
    "yes": "yes", "true": "yes", "1": "yes", "mandatory": "yes",
    "no": "no", "false": "no", "0": "no", "optional": "no",
    "strict": "strict",
}  # fmt: skip
_BOOLEAN_VALUES = {"yes": "yes", "true": "yes", "1": "yes", "no": "no", "false": "no", "0": "no"}
# These have their place in the URL itself; twice would mean that one of the two is ignored.
_PLACED_KEYS = {
    "uid",
    "user",
    "user id",
    "pwd",
    "password",
    "server",
    "address",
    "addr",
    "database",
    "dsn",
    "filedsn",
}
_SECRET_KEYWORDS = {"pwd", "password", "accesstoken"}

# PWD=..., Password=... and ://user:...@, in texts whose secrets are not known (a callable's own connection).
_PWD_TEXT = re.compile(
    r"(\b(?:pwd|password)\s*=\s*)(\{(?:[^}]|\}\})*\}?|\"[^\"]*\"|'[^']*'|[^;\s]*)", re.IGNORECASE
)
_URL_TEXT = re.compile(r"(://[^\s:/@]*:)[^\s/]*(?=@)")


@dataclass(frozen=True, kw_only=True)
class Target:
    """A database to connect to.

    ``engine``: "embedded" or "sqlserver". ``path``: the embedded engine's file, None = in memory.
    ``keywords``: ODBC keywords without Driver, UID and PWD, in order. ``driver``: the ODBC driver to use,
    None = choose one. ``login_timeout``, ``query_timeout``: seconds, 0 = no limit.
    """

    engine: str
    path: str | None = None
    keywords: tuple[tuple[str, str], ...] = field(default=(), repr=False)
    user: str | None = None
    password: str | None = field(default=None, repr=False)
    driver: str | None = None
    login_timeout: int = 15
    query_timeout: int = 0
    display: str = ""

    def __str__(self) -> str:
        return self.display

    def odbc_string(self, driver: str | None) -> str:
        """The connection string for SQLDriverConnect. Holds the password: hand it to the driver, nowhere
        else.

        ``driver`` None leaves the keyword out (the keywords name a DSN).
        """
        parts = [f"Driver={odbc_quote(driver, always=True)}"] if driver is not None else []
        parts += [f"{key}={odbc_quote(value)}" for key, value in self.keywords]
        if self.user is not None:
            parts.append(f"UID={odbc_quote(self.user, always=True)}")
        if self.password is not None:
            parts.append(f"PWD={odbc_quote(self.password, always=True)}")
        return ";".join(parts)

    @property
    def has_data_source(self) -> bool:
        """The keywords name a DSN, which chooses the driver itself."""
        return any(key.lower() in ("dsn", "filedsn") for key, _ in self.keywords)

    def scrub(self, text: str) -> str:
        """``text`` without this target's password in any spelling, and without anything that looks like
        one.
        """
        if self.password:
            spellings = {
                self.password,
                self.password.replace("}", "}}"),
                quote(self.password, safe=""),
                quote(self.password),
            }
            for spelling in sorted(spellings, key=len, reverse=True):
                # A very short password is taken out where it stands alone, not out of the middle of words.
                edge = r"\w" if len(spelling) < 4 else r"(?!)"
                text = re.sub(rf"(?<!{edge}){re.escape(spelling)}(?!{edge})", "***", text)
        return scrub_generic(text)


def scrub_generic(text: str) -> str:
    """``text`` with the values of PWD=/Password= and the passwords of URLs replaced by ***."""
    return _URL_TEXT.sub(r"\1***", _PWD_TEXT.sub(r"\1***", text))


def odbc_quote(value: str, *, always: bool = False) -> str:
    """An ODBC attribute value, in braces where (or though, with ``always``) the syntax asks for it."""
    if "\0" in value:
        raise InvalidUrlError("A NUL character cannot be part of a connection string.")
    plain = value != "" and value == value.strip() and not set(value) & set("[]{}(),;?*=!@")
    # Server=host,port is the one everyday value with a comma; braces around it are understood, but unusual.
    if not always and (plain or re.fullmatch(r"[A-Za-z0-9_.:\\\-]+,\d+", value)):
        return value
    return "{" + value.replace("}", "}}") + "}"


def parse(text: str) -> Target:
    """Reads a URL or an ODBC connection string.

    Raises UnknownEngineError for a scheme that is not known, InvalidUrlError for anything else that is wrong.
    """
    match = _SCHEME.match(text)
    if match is None:
        if "=" in text:
            return parse_odbc(text)
        raise InvalidUrlError(
            "Not a database URL: expected embedded:///path/file.db, embedded://, "
            "mssql://user:password@host:1433/database or an ODBC connection string (Key=Value;…)."
        )
    scheme = match[1].lower()
    rest = text[match.end() :]
    if scheme == "embedded":
        return _parse_embedded(rest)
    if scheme == "mssql":
        return _parse_mssql(rest)
    known = ", ".join(f"{name}://" for name in KNOWN_SCHEMES)
    raise UnknownEngineError(f"No engine is called {scheme}://; chokaq knows {known}.")


def _decode(text: str, what: str) -> str:
    if _BAD_PERCENT.search(text):
        raise InvalidUrlError(
            f"The {what} has a % that starts no percent-encoding; write %25 for a percent sign."
        )
    try:
        return unquote(text, errors="strict")
    except UnicodeDecodeError:
        raise InvalidUrlError(f"The {what} is percent-encoded, but not as UTF-8.") from None


def _parse_embedded(rest: str) -> Target:
    if "?" in rest:
        raise InvalidUrlError(
            "An embedded:// URL takes no options; write %3F for a question mark in a file name."
        )
    if rest == "":
        return Target(engine="embedded", display="embedded://")
    if not rest.startswith("/"):
        raise InvalidUrlError(
            "An embedded:// URL has no host: write embedded:///absolute/path.db (three slashes), "
            "embedded:///./relative.db, or embedded:// for a database in memory."
        )
    path = _decode(rest, "path")
    if path == "/":
        raise InvalidUrlError("An embedded:/// URL needs a file name after the third slash.")
    if path.startswith(("/./", "/../")):
        path = path[1:]  # relative to the working directory
    elif re.match(r"/[A-Za-z]:[\\/]", path):
        path = path[1:]  # embedded:///C:/data/jobs.db
    if "\0" in path:
        raise InvalidUrlError("A NUL character cannot be part of a path.")
    return Target(engine="embedded", path=path, display=f"embedded://{rest}")


def _parse_mssql(rest: str) -> Target:
    body, _, query = rest.partition("?")
    authority, _, database = body.partition("/")
    if "@" in database or "@" in query.partition("&")[0].partition("=")[0]:
        raise InvalidUrlError(
            "The URL has an @ after its host part. In a user name or password write / as %2F, ? as %3F, "
            "# as %23, : as %3A and @ as %40."
        )
    userinfo, at, hostport = authority.rpartition("@")
    user = password = None
    if at:
        name, colon, secret = userinfo.partition(":")
        user = _decode(name, "user name")
        password = _decode(secret, "password") if colon else None
        if user == "":
            raise InvalidUrlError("The URL has a password but no user name.")
    server, shown_server = _parse_server(hostport)
    if "/" in database:
        raise InvalidUrlError("The database name has a slash; write %2F if that is meant.")
    name = _decode(database, "database name")
    keywords = [("Server", server)]
    if name:
        keywords.append(("Database", name))
    options = _Options(query)
    keywords[0] = ("Server", options.server(server))
    keywords += options.keywords
    given = {key.lower() for key, _ in keywords}
    if user is None and not given & {"trusted_connection", "authentication"}:
        keywords.append(("Trusted_Connection", "yes"))
    shown_user = (
        f"{quote(user, safe='')}{':***' if password is not None else ''}@" if user is not None else ""
    )
    return Target(
        engine="sqlserver",
        keywords=tuple(keywords),
        user=user,
        password=password,
        driver=options.driver,
        login_timeout=options.login_timeout,
        query_timeout=options.query_timeout,
        display=f"mssql://{shown_user}{shown_server}/{database}",
    )


def _parse_server(hostport: str) -> tuple[str, str]:
    r"""(ODBC Server value, the same for display) of ``host``, ``host:port``, ``host\instance``,
    ``[::1]:port``.
    """
    match = re.fullmatch(r"(?:\[([0-9A-Fa-f:.%]+)\]|([^:\[\]]*))(?::([^:]*))?", hostport)
    if match is None:
        raise InvalidUrlError(
            "The host part of the URL cannot be read; write host, host:port or [IPv6]:port."
        )
    port = match[3]
    if port is not None and not (port.isascii() and port.isdigit() and 0 < int(port) <= 65535):
        # The text is not shown: an unescaped password lands here.
        raise InvalidUrlError("The port of the URL is not a number from 1 to 65535.")
    host = match[1] or _decode(match[2] or "", "host")
    name, backslash, instance = host.partition("\\")
    if match[1] is None and not _HOST.fullmatch(name):
        raise InvalidUrlError("The URL has no host, or one with characters that no host name has.")
    if backslash and not re.fullmatch(r"[A-Za-z0-9_$#]+", instance):
        raise InvalidUrlError("The instance name has characters that no instance name has.")
    return (f"{host},{port}" if port else host, hostport)


class _Options:
    """The query part of an mssql:// URL."""

    def __init__(self, query: str) -> None:
        self.driver: str | None = None
        self.login_timeout = 15
        self.query_timeout = 0
        self.instance: str | None = None
        found: dict[str, tuple[str, str]] = {"encrypt": ("Encrypt", "yes")}
        seen: set[str] = set()
        for item in query.split("&") if query else ():
            raw_key, equals, raw_value = item.partition("=")
            key = _decode(raw_key, "name of an option")
            value = _decode(raw_value, "value of an option")
            if not equals or not _KEYWORD.fullmatch(key):
                raise InvalidUrlError("An option of the URL is not of the form name=value.")
            lower = key.lower()
            if lower in seen:
                raise InvalidUrlError(f"The option {key} is given twice.")
            seen.add(lower)
            self._take(key, lower, value, found)
        self.keywords = list(found.values())

    def _take(self, key: str, lower: str, value: str, found: dict[str, tuple[str, str]]) -> None:
        if lower in _PLACED_KEYS:
            raise InvalidUrlError(f"{key} is not an option: it has its place before the question mark.")
        if lower == "driver":
            self.driver = value
        elif lower == "instance":
            self.instance = value
        elif lower in ("login_timeout", "query_timeout"):
            setattr(self, lower, _seconds(key, value))
        elif lower == "encrypt":
            found["encrypt"] = ("Encrypt", _choice(key, value, _ENCRYPT_VALUES))
        elif lower in _BOOLEAN_KEYS:
            name = _BOOLEAN_KEYS[lower]
            found[name.lower()] = (name, _choice(key, value, _BOOLEAN_VALUES))
        else:
            name = _TEXT_KEYS.get(lower, key)
            found[name.lower()] = (name, value)

    def server(self, server: str) -> str:
        if self.instance is None:
            return server
        if "\\" in server:
            raise InvalidUrlError("The instance is named twice.")
        if not re.fullmatch(r"[A-Za-z0-9_$#]+", self.instance):
            raise InvalidUrlError("The instance name has characters that no instance name has.")
        host, comma, port = server.partition(",")
        return f"{host}\\{self.instance}{comma}{port}"


def _choice(key: str, value: str, known: dict[str, str]) -> str:
    chosen = known.get(value.lower())
    if chosen is None:
        raise InvalidUrlError(f"The option {key} must be one of {', '.join(known)}.")
    return chosen


def _seconds(key: str, value: str) -> int:
    if not (value.isascii() and value.isdigit() and len(value) < 7):
        raise InvalidUrlError(f"The option {key} must be a whole number of seconds.")
    return int(value)


def parse_odbc(text: str) -> Target:
    """Reads ``Key=Value;Key={va;lue};…``. Unknown keywords go to the driver unchanged."""
    keywords: list[tuple[str, str]] = []
    user = password = driver = None
    position = 0
    while position < len(text):
        if text[position] in "; \t\r\n":
            position += 1
            continue
        key, equals, _ = text[position:].partition("=")
        if not equals or ";" in key:
            raise InvalidUrlError("The ODBC connection string has a part that is not Key=Value.")
        value, position = _odbc_value(text, position + len(key) + 1)
        key = key.strip()
        lower = key.lower()
        if lower == "driver":
            driver = driver or value  # the first one counts, as in ODBC
        elif lower in ("uid", "user", "user id"):
            user = value if user is None else user
        elif lower in _SECRET_KEYWORDS and lower != "accesstoken":
            password = value if password is None else password
        else:
            keywords.append((key, value))
    lookup = {key.lower(): value for key, value in reversed(keywords)}
    server = lookup.get("server") or lookup.get("dsn") or lookup.get("filedsn")
    if not server:
        raise InvalidUrlError("The ODBC connection string names no Server and no DSN.")
    shown = [f"Server={server}"]
    if lookup.get("database"):
        shown.append(f"Database={lookup['database']}")
    if user:
        shown.append(f"UID={user}")
    return Target(
        engine="sqlserver",
        keywords=tuple(keywords),
        user=user,
        password=password,
        driver=driver,
        display=";".join(shown),
    )


def _odbc_value(text: str, start: int) -> tuple[str, int]:
    """(value, position after it) of an attribute value at ``start``; ``}}`` inside braces is one brace."""
    while start < len(text) and text[start] in " \t":
        start += 1
    if start >= len(text) or text[start] != "{":
        end = text.find(";", start)
        end = len(text) if end < 0 else end
        return text[start:end].strip(), end + 1
    value = []
    position = start + 1
    while position < len(text):
        if text[position] != "}":
            value.append(text[position])
        elif text[position + 1 : position + 2] == "}":
            value.append("}")
            position += 1
        else:
            end = text.find(";", position)
            end = len(text) if end < 0 else end
            if text[position + 1 : end].strip():
                raise InvalidUrlError("The ODBC connection string has text after a closing brace.")
            return "".join(value), end + 1
        position += 1
    raise InvalidUrlError("The ODBC connection string has a brace that is not closed.")
