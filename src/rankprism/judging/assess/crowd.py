"""How workers of a crowd platform come to a study, and how they get back."""

from __future__ import annotations

from collections.abc import Mapping
from urllib.parse import quote, urlsplit

from rankprism.errors import InputError

#: The parameters in which common platforms send the id of a worker.
PARAMETERS = ("worker", "PROLIFIC_PID", "workerId")


def worker_in(query: Mapping[str, str], parameter: str = "") -> str:
    """Return the worker id in the query of a link, or say which parameter is missing.

    parameter : the name of the only parameter that counts. Default: any of `PARAMETERS`.

    >>> worker_in({"PROLIFIC_PID": "5f1e", "STUDY_ID": "7"})
    '5f1e'
    """
    names = (parameter,) if parameter else PARAMETERS
    name = next((name for name in names if query.get(name)), "")
    if not name:
        wanted = f"the parameter {names[0]}" if parameter else f"a parameter {' or '.join(names)}"
        raise InputError(
            f"This link is not complete. It needs {wanted} with your worker id, such as ?{names[-1]}=ID at "
            f"its end. Open the study from your crowd platform again, or tell the organiser."
        )
    worker = query[name]
    if "{" in worker or "}" in worker or "NOT_AVAILABLE" in worker:
        raise InputError(
            f"This link is not complete. Its parameter {name} has {worker[:100]!r} where your worker id "
            f"should be: the crowd platform has not filled it in. Open the study from the platform again, "
            f"without a preview, or tell the organiser."
        )
    return worker


def check_parameter(name: str) -> str:
    """Return the name of the parameter with the worker id, or refuse one that cannot be in a link."""
    if name and quote(name, safe="") != name:
        raise InputError(f"the worker parameter must be a name such as PROLIFIC_PID; got {name!r}")
    return name


def check_completion_url(url: str) -> str:
    """Return the address to which workers go at the end, or refuse one that browsers cannot open safely."""
    try:
        parts = urlsplit(completion_url(url, "CODE", "WORKER"))
        plain = bool(parts.hostname) and parts.port != 0 and parts.username is None
        plain = plain and parts.scheme in ("http", "https")
    except (ValueError, KeyError, IndexError):  # an invalid port; a placeholder that is not known
        plain = False
    if not plain or not url.isprintable() or " " in url:
        raise InputError(
            f"the completion URL must be like https://app.prolific.com/submissions/complete?cc=CODE, and may "
            f"have {{code}} and {{worker}} in it; got {url!r}"
        )
    return url


def completion_url(url: str, code: str, worker: str) -> str:
    """The address to which a worker goes at the end.

    >>> completion_url("https://example.org/done?who={worker}&code={code}", "C0FFEE", "w 1")
    'https://example.org/done?who=w%201&code=C0FFEE'
    """
    return url.format(code=quote(code, safe=""), worker=quote(worker, safe=""))
