"""An HTTP server with deadlines, which nobody can block by sending or reading slowly.

uvicorn waits forever for the rest of a request, and refuses everybody when a limit of connections is reached.
Here a request has to arrive completely, and an answer has to be read, within a number of seconds. If there
are too many connections, the one that has kept us waiting longest makes room for the new one. So half-sent
requests, however many, cost others nothing.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from typing import Any

import h11
import uvicorn
from starlette.types import ASGIApp
from uvicorn.protocols.http.h11_impl import H11Protocol


@dataclass(frozen=True, eq=False)
class Limits:
    """The limits on the time and number of connections."""

    to_send: float = 20.0  #: seconds from the connection, or the last answer, until a request has arrived
    to_read: float = 60.0  #: seconds to read the rest of an answer
    connections: int = 1000
    #: The connections whose request has not arrived yet, the one that has been waiting longest first.
    waiting: dict[Connection, None] = field(default_factory=dict)


class Connection(H11Protocol):
    """A connection with deadlines."""

    def __init__(self, limits: Limits, **options: Any) -> None:
        super().__init__(**options)
        self._limits = limits
        self._state = ""
        self._deadline: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._watch()
        if len(self.connections) > self._limits.connections and self._limits.waiting:
            next(iter(self._limits.waiting))._give_up()

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        self._watch()

    def on_response_complete(self) -> None:
        super().on_response_complete()
        self._watch()

    def pause_writing(self) -> None:
        super().pause_writing()
        self._watch()

    def resume_writing(self) -> None:
        super().resume_writing()
        self._watch()

    def connection_lost(self, exc: Exception | None) -> None:
        super().connection_lost(exc)
        self._enter("")

    def shutdown(self) -> None:
        """End the connection with the server, without waiting for the rest of a request."""
        if self.conn.their_state in _SENDING:
            self._give_up()
        else:
            super().shutdown()

    def _watch(self) -> None:
        """Find out what this connection is waiting for, and set its deadline."""
        if self.flow.write_paused or self.transport.is_closing():
            self._enter("reading")
        elif self.conn.their_state in _SENDING:
            self._enter("sending")
        else:
            self._enter("")

    def _enter(self, state: str) -> None:
        """Enter a state and start its clock, unless the connection is already in it."""
        if state == self._state:
            return
        self._state = state
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None
        self._limits.waiting.pop(self, None)
        if state == "sending":
            self._limits.waiting[self] = None
        if state:
            seconds = self._limits.to_send if state == "sending" else self._limits.to_read
            self._deadline = self.loop.call_later(seconds, self._give_up)

    def _give_up(self) -> None:
        self._enter("")
        self.transport.abort()


_SENDING = (h11.IDLE, h11.SEND_BODY)  # the states of a client whose request is not complete


def server(app: ASGIApp, limits: Limits, **options: Any) -> uvicorn.Server:
    """Make a server whose connections keep these limits. `uvicorn.Config` takes the options."""

    def connection(**given: Any) -> Connection:
        return Connection(limits, **given)

    config = uvicorn.Config(
        app,
        http=connection,  # type: ignore[arg-type]  # anything that makes a protocol
        ws="none",
        lifespan="off",
        # uvicorn's warnings are about requests that are not valid HTTP. It is enough to tell the senders.
        log_level="error",
        access_log=False,
        server_header=False,
        **options,
    )
    return uvicorn.Server(config)
