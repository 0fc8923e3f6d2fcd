"""A bar of progress with the time that is left, on standard error."""

from __future__ import annotations

import sys
import time
from typing import TextIO

#: Characters of the bar.
_WIDTH = 30
#: Least seconds between two changes of it.
_PAUSE_S = 0.2


def _words(seconds: float) -> str:
    seconds = round(seconds)
    if seconds < 60:
        return f"{seconds} s"
    if seconds < 3600:
        return f"{seconds // 60}:{seconds % 60:02} min"
    return f"{seconds // 3600}:{seconds % 3600 // 60:02} h"


class Progress:
    """Shows how much is done; nothing where nobody watches (`shown` None) or is to see it (False)."""

    def __init__(self, total: int, unit: str, shown: bool | None, out: TextIO | None = None) -> None:
        self._out = out or sys.stderr
        self._shown = _is_watched(self._out) if shown is None else shown
        self._total, self._unit = max(total, 1), unit
        self._start = self._last = time.monotonic()
        self._length = 0

    def update(self, done: int) -> None:
        """Shows that so much is done."""
        now = time.monotonic()
        if not self._shown or (now - self._last < _PAUSE_S and done < self._total):
            return
        self._last = now
        share = min(done / self._total, 1.0)
        left = (now - self._start) * (1.0 - share) / share if share > 0.0 else None
        rest = "" if left is None or share == 1.0 else f", {_words(left)} left"
        bar = "█" * round(_WIDTH * share)
        line = f"{bar:·<{_WIDTH}} {done} of {self._total} {self._unit}{rest}"
        print(f"\r{line:<{self._length}}", end="", file=self._out, flush=True)
        self._length = len(line)

    def close(self) -> None:
        """Ends the line."""
        if self._shown and self._length:
            print(file=self._out, flush=True)


def _is_watched(out: TextIO) -> bool:
    in_notebook = "ipykernel" in sys.modules
    return in_notebook or bool(getattr(out, "isatty", lambda: False)())
