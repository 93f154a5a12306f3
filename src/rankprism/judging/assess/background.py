"""Runs work that nobody waits for."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable


class Background:
    """Runs one function at a time in a thread of its own. Requests in the meantime are ignored."""

    def __init__(self) -> None:
        self._busy = threading.Lock()

    def start(self, function: Callable[[], object]) -> bool:
        """Start the function unless another one is running. Return whether it was started."""
        if not self._busy.acquire(blocking=False):
            return False

        def run() -> None:
            try:
                function()
            except Exception as error:  # the study goes on, but somebody should know
                print(f"rankprism assess: {type(error).__name__}: {error}", file=sys.stderr)
            finally:
                self._busy.release()

        threading.Thread(target=run, daemon=True).start()
        return True

    def wait(self) -> None:
        """Wait until nothing is running."""
        with self._busy:
            pass
