"""Work that nobody waits for."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable


class Background:
    """Does one thing at a time in a thread of its own; what is asked meanwhile is not done."""

    def __init__(self) -> None:
        self._busy = threading.Lock()

    def start(self, function: Callable[[], object]) -> bool:
        """Start the function, unless another one is at work; whether it was started."""
        if not self._busy.acquire(blocking=False):
            return False

        def run() -> None:
            try:
                function()
            except Exception as error:  # the study goes on without it, but somebody should know
                print(f"rankprism assess: {type(error).__name__}: {error}", file=sys.stderr)
            finally:
                self._busy.release()

        threading.Thread(target=run, daemon=True).start()
        return True

    def wait(self) -> None:
        """Wait until nothing is at work."""
        with self._busy:
            pass
