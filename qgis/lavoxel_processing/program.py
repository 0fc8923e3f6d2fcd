"""The program `lavoxel`: where it is, what it can do, and a call of it with progress and an end at wish."""

from __future__ import annotations

import json
import os
import queue
import re
import shlex
import shutil
import signal
import subprocess
import threading
import time
from dataclasses import dataclass
from pathlib import Path

from processing.core.ProcessingConfig import ProcessingConfig
from qgis.core import QgsProcessingException

SETTING = "LAVOXEL_PROGRAM"
"""Name of the setting of the provider."""

LEAST = (0, 1, 0)
"""Oldest version of the program with all that the algorithms ask for."""

LAVAS = (
    "etna-basalt",
    "kilauea",
    "fogo-2014",
    "silicone-oil",
    "paraffin-wax",
    "chocolate",
    "semisolid-aluminium",
    "ice",
)
"""Presets that forms show while no program is there to ask."""

INTERRUPTED = 130
"""Exit status after Ctrl-C."""

PATIENCE_S = 10.0
"""Seconds after which a program that was asked to stop is killed; it stops within two."""

WINDOW = {"creationflags": subprocess.CREATE_NO_WINDOW} if os.name == "nt" else {}
"""Keeps Windows from showing a console."""

PROGRESS = re.compile(r"^(?:step|run|frame|round) (\d+) of (\d+)\b")


@dataclass(frozen=True)
class Outcome:
    """Output of a call: the text on standard output, the lines on standard error without those of progress."""

    text: str
    lines: list[str]

    def report(self) -> dict:
        """The text as JSON."""
        return json.loads(self.text)

    def files(self, folder: Path) -> list[Path]:
        """Files inside a folder that the lines name, in their order."""
        named = [Path(line.split(" (step ")[0]) for line in self.lines]
        return [path for path in named if folder in path.parents and path.is_file()]


def path() -> str | None:
    """Path of the program by the setting, by PATH, or where Cargo installs it."""
    wish = ProcessingConfig.getSetting(SETTING) or "lavoxel"
    return shutil.which(wish) or shutil.which(wish, path=str(Path.home() / ".cargo" / "bin"))


def found() -> str:
    """Path of a program that is new enough.

    Raises QgsProcessingException with what is wrong and its mend.
    """
    file, fault = path(), problem()
    if file is None or fault:
        raise QgsProcessingException(fault)
    return file


def problem() -> str:
    """Reason for which no program can run, and its mend; empty where one can."""
    where = "Settings › Options › Processing › Providers › Lavoxel"
    file = path()
    if file is None:
        wish = ProcessingConfig.getSetting(SETTING) or "lavoxel"
        return f"the program {wish} is not found: install Lavoxel, or name its program in {where}"
    version = re.match(r"lavoxel (\d+)\.(\d+)\.(\d+)", _said(file, "--version") or "")
    if version is None:
        return f"{file} is not the program lavoxel: name another one in {where}"
    if tuple(map(int, version.groups())) < LEAST:
        least = ".".join(map(str, LEAST))
        return (
            f"{file} is version {version[0].split()[1]}, and the plugin needs {least} or later: install a newer Lavoxel"
        )
    return ""


def has(command: str) -> bool:
    """Whether the program has a command."""
    file = path()
    return file is not None and _said(file, command, "--help") is not None


def lavas() -> list[str]:
    """Names of the presets of lava that the program has."""
    file = path()
    schema = file and _said(file, "scene", "--schema")
    try:
        choices = json.loads(schema or "")["properties"]["flow"]["properties"]["lava"]["anyOf"]
        return next(choice["enum"] for choice in choices if "enum" in choice)
    except (ValueError, KeyError, TypeError, StopIteration):
        return list(LAVAS)


_SAID: dict[tuple, str | None] = {}


def _said(file: str, *words: str) -> str | None:
    """Standard output of a short call, None where it fails; asked once of each program."""
    try:
        key = (file, os.stat(file).st_mtime_ns, *words)
    except OSError:
        return None
    if key not in _SAID:
        try:
            done = subprocess.run(
                [file, *words], capture_output=True, check=False, timeout=10, text=True, encoding="utf-8", **WINDOW
            )
            _SAID[key] = done.stdout if done.returncode == 0 else None
        except (OSError, subprocess.TimeoutExpired):
            return None
    return _SAID[key]


def call(words: list[str], feedback) -> Outcome | None:
    """Calls the program, shows its lines and its progress, and stops it when the user does; None if it was stopped.

    Raises QgsProcessingException with the words of the program where it fails.
    """
    command = [found(), *words]
    feedback.pushCommandInfo(shlex.join(command))
    pipes = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    try:
        process = subprocess.Popen(command, text=True, encoding="utf-8", errors="replace", **pipes, **WINDOW)
    except OSError as error:
        raise QgsProcessingException(f"{command[0]} does not start: {error}") from error
    text: list[str] = []
    with process:
        reader = threading.Thread(target=lambda: text.append(process.stdout.read()), daemon=True)
        reader.start()
        try:
            lines = _follow(process, feedback)
        finally:
            if process.poll() is None:
                process.kill()
            reader.join()
    if process.returncode == INTERRUPTED or feedback.isCanceled():
        feedback.pushInfo("stopped")
        return None
    if process.returncode != 0:
        raise QgsProcessingException(_fault(lines, process.returncode))
    return Outcome("".join(text), lines)


def _follow(process, feedback) -> list[str]:
    """Lines of standard error until the program ends, those of progress aside."""
    arrived: queue.Queue = queue.Queue()

    def read():
        for line in process.stderr:
            arrived.put(line.rstrip("\n"))
        arrived.put(None)

    threading.Thread(target=read, daemon=True).start()
    lines, stopped = [], None
    while True:
        if feedback.isCanceled() and stopped is None:
            stopped = time.monotonic()
            _stop(process)
        if stopped is not None and time.monotonic() - stopped > PATIENCE_S:
            process.kill()
        try:
            line = arrived.get(timeout=0.1)
        except queue.Empty:
            continue
        if line is None:
            process.wait()
            return lines
        progress = PROGRESS.match(line)
        if progress:
            done, all_ = map(int, progress.groups())
            feedback.setProgress(100.0 * done / max(all_, 1))
            feedback.setProgressText(line)
            continue
        lines.append(line)
        if line.startswith("warning: "):
            feedback.pushWarning(line)
        elif not line.startswith("lavoxel: "):
            feedback.pushConsoleInfo(line)


def _stop(process):
    """Asks the program to stop; ends it on Windows, which has no signal for a program without a console."""
    if os.name == "nt":
        process.terminate()
    else:
        process.send_signal(signal.SIGINT)


def _fault(lines: list[str], status: int) -> str:
    """Words of a program that failed: its line, or all where none is marked."""
    marked = [line for line in lines if line.startswith("lavoxel: ")]
    said = marked[-1] if marked else "\n".join(lines).strip()
    return said or f"lavoxel ended with status {status}"
