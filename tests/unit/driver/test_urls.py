"""URLs and ODBC strings: what they mean, and that the password stays where it is."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chokaq import InvalidUrlError, UnknownEngineError
from chokaq.urls import Target, odbc_quote, parse, parse_odbc, scrub_generic


def keywords(target: Target) -> dict[str, str]:
    return dict(target.keywords)


@pytest.mark.parametrize(
    ("url", "path"),
    [
        ("embedded://", None),
        ("embedded:///var/lib/jobs.db", "/var/lib/jobs.db"),
        ("embedded:///./jobs.db", "./jobs.db"),
        ("embedded:///C:/data/jobs.db", "C:/data/jobs.db"),
        ("embedded:///a%20b%3F.db", "/a b?.db"),
        ("EMBEDDED:///x.db", "/x.db"),
    ],
)
def test_embedded(url: str, path: str | None) -> None:
    target = parse(url)
    assert (target.engine, target.path) == ("embedded", path)


@pytest.mark.parametrize(
    "url", ["embedded://host/x.db", "embedded:///", "embedded:///a.db?x=1", "embedded:///%zz"]
)
def test_embedded_refused(url: str) -> None:
    with pytest.raises(InvalidUrlError):
        parse(url)


def test_mssql_in_full() -> None:
    target = parse(
        "mssql://ann%40corp:p%3Aw%2F%7D@db.example.org:1444/Jobs%20DB?encrypt=strict&trust_server_certificate=no"
        "&MultiSubnetFailover=Yes&login_timeout=3&query_timeout=60&app=worker"
    )
    assert target.user == "ann@corp"
    assert target.password == "p:w/}"
    assert keywords(target) == {
        "Server": "db.example.org,1444",
        "Database": "Jobs DB",
        "Encrypt": "strict",
        "TrustServerCertificate": "no",
        "MultiSubnetFailover": "yes",
        "APP": "worker",
    }
    assert (target.login_timeout, target.query_timeout) == (3, 60)
    assert str(target) == "mssql://ann%40corp:***@db.example.org:1444/Jobs%20DB"


def test_mssql_encrypts_unless_told_otherwise() -> None:
    assert keywords(parse("mssql://u:p@h/d"))["Encrypt"] == "yes"
    assert keywords(parse("mssql://u:p@h/d?encrypt=false"))["Encrypt"] == "no"


@pytest.mark.parametrize(
    ("url", "server"),
    [
        ("mssql://h", "h"),
        ("mssql://h:1433/d", "h,1433"),
        ("mssql://h%5CSQLEXPRESS/d", "h\\SQLEXPRESS"),
        ("mssql://h/d?instance=SQLEXPRESS", "h\\SQLEXPRESS"),
        ("mssql://[::1]:1433/d", "::1,1433"),
        ("mssql://[fe80::1]/d", "fe80::1"),
    ],
)
def test_mssql_server(url: str, server: str) -> None:
    assert keywords(parse(url))["Server"] == server


def test_without_a_user_windows_authentication_is_meant() -> None:
    assert keywords(parse("mssql://h/d"))["Trusted_Connection"] == "yes"
    assert "Trusted_Connection" not in keywords(parse("mssql://h/d?authentication=ActiveDirectoryMsi"))


@pytest.mark.parametrize(
    "url",
    [
        "mssql://u:SECRET@h:port/d",
        "mssql://u:SEC/RET@h/d",
        "mssql://u:SEC?RET@h/d",
        "mssql://u:SEC#RET:1@h:99999/d",
        "mssql://u:SECRET@/d",
        "mssql://u:SECRET@h/d?encrypt=perhaps",
        "mssql://u:SECRET@h/d?pwd=SECRET",
        "mssql://u:SECRET@h/d?novalue",
        "mssql://u:SECRET@h/d?a=1&A=2",
        "mssql://u:SECRET@h/d/e",
        "mssql://u:SECRET%@h/d",
        "mssql://:SECRET@h/d",
        "mssql://u:SECRET@[::1/d",
        "mssql://u:SECRET@h/d?instance=a;b",
        "mssql://u:SECRET@h;PWD=x/d",
        "mssql://u:SECRET@h/d?login_timeout=soon",
        "Server=h;UID=u;PWD={SECRET",
        "Server=h;UID=u;PWD={SECRET}x",
        "PWD=SECRET",
        "Server=h;SECRET",
    ],
)
def test_a_refused_url_is_not_repeated_in_the_error(url: str) -> None:
    with pytest.raises(InvalidUrlError) as caught:
        parse(url)
    for part in ("SECRET", "SEC", "RET"):
        assert part not in str(caught.value)
    assert caught.value.__context__ is None or "SEC" not in str(caught.value.__context__)


def test_unknown_scheme_names_the_known_ones() -> None:
    with pytest.raises(
        UnknownEngineError, match=r"postgres://; chokaq knows embedded://, mssql://"
    ) as caught:
        parse("postgres://u:SECRET@h/d")
    assert "SECRET" not in str(caught.value)


@pytest.mark.parametrize("text", ["", "jobs.db", "/var/jobs.db"])
def test_neither_url_nor_odbc_string(text: str) -> None:
    with pytest.raises(InvalidUrlError, match="embedded:///"):
        parse(text)


def test_odbc_string() -> None:
    target = parse(
        "Driver={ODBC Driver 18 for SQL Server};Server=tcp:h,1433;Database=d;Uid=u;Pwd={a;b}}c};Encrypt=no;"
    )
    assert (target.driver, target.user, target.password) == ("ODBC Driver 18 for SQL Server", "u", "a;b}c")
    assert keywords(target) == {"Server": "tcp:h,1433", "Database": "d", "Encrypt": "no"}
    assert str(target) == "Server=tcp:h,1433;Database=d;UID=u"
    assert (
        target.odbc_string("X") == "Driver={X};Server=tcp:h,1433;Database=d;Encrypt=no;UID={u};PWD={a;b}}c}"
    )


def test_odbc_string_with_a_dsn_needs_no_driver() -> None:
    target = parse("DSN=jobs;UID=u;PWD=p")
    assert target.has_data_source
    assert target.odbc_string(None) == "DSN=jobs;UID={u};PWD={p}"


@pytest.mark.parametrize(
    ("value", "quoted"),
    [
        ("plain", "plain"),
        ("a;b", "{a;b}"),
        ("a}b", "{a}}b}"),
        (" a", "{ a}"),
        ("", "{}"),
        ("h,1433", "h,1433"),
    ],
)
def test_odbc_quote(value: str, quoted: str) -> None:
    assert odbc_quote(value) == quoted


ODBC_TEXT = st.text(
    st.characters(exclude_characters="\0", exclude_categories=["Cs"]), min_size=1, max_size=30
)


@given(user=ODBC_TEXT, password=ODBC_TEXT)
def test_quoted_values_are_read_back(user: str, password: str) -> None:
    text = f"Server=h;UID={odbc_quote(user, always=True)};PWD={odbc_quote(password, always=True)}"
    target = parse_odbc(text)
    assert (target.user, target.password) == (user, password)


@given(
    password=st.text(
        st.characters(exclude_characters="\0*", exclude_categories=["Cs"]), min_size=8, max_size=30
    )
)
def test_the_password_is_not_shown(password: str) -> None:
    target = Target(engine="sqlserver", keywords=(("Server", "h"),), user="u", password=password, display="h")
    assert password not in repr(target)
    assert password not in str(target)
    assert password not in target.scrub(f"Login failed: {target.odbc_string('X')} / {password}")


@pytest.mark.parametrize(
    "text",
    [
        "Server=h;PWD=SECRET;Encrypt=no",
        "Server=h;pwd = {SEC;}}RET};x",
        "password='SEC RET'",
        "cannot open mssql://u:SECRET@h/d",
    ],
)
def test_secrets_of_unknown_strings_are_scrubbed(text: str) -> None:
    shown = scrub_generic(text)
    assert "SEC" not in shown
    assert "RET" not in shown
    assert "***" in shown


def test_nul_is_refused() -> None:
    with pytest.raises(InvalidUrlError):
        odbc_quote("a\0b")


def test_a_short_password_does_not_make_texts_unreadable() -> None:
    target = parse("mssql://u:p@h/d")
    assert target.scrub("Login timeout expired; PWD={p}; 'p'") == "Login timeout expired; PWD=***; '***'"
