"""Warnings of results that are not what they seem."""

from __future__ import annotations

import re
import warnings


class LavoxelWarning(UserWarning):
    """A result that holds less than it seems to: something left the box, or the model does not hold there."""


class Told:
    """Warnings that were given: each kind once, whatever its numbers have become."""

    def __init__(self) -> None:
        self._kinds: set[str] = set()

    def tell(self, lines: list[str], level: int) -> None:
        """Warn of the lines that are new, in the name of a caller `level` calls above."""
        for line in lines:
            # Numbers and their units change while a run goes on.
            kind = re.sub(r"-?\d\S*( \S+)?", "", line)
            if kind not in self._kinds:
                self._kinds.add(kind)
                warnings.warn(line, LavoxelWarning, stacklevel=level + 1)
