"""A real `minichat serve` process in memory, on free ports of 127.0.0.1."""

import json
import os
import pathlib
import subprocess
import tempfile
import urllib.request

from support.wait import LIMIT_S, wait_for

ROOT = pathlib.Path(__file__).resolve().parents[3]
MINICHAT = os.environ.get("MINICHAT_BIN", str(ROOT / "build/dev/bin/minichat"))


class ChatNode:
    def __init__(self, flags=None, files=None):
        """Started, and serving. `flags`: options as on the command line. Values of `files` are
        written to files, and their paths given as options."""
        self._folder = tempfile.TemporaryDirectory(prefix="minichat-web-")
        folder = pathlib.Path(self._folder.name)
        self._flags = {"client.listen": "127.0.0.1:0", "admin.listen": "127.0.0.1:0",
                       **(flags or {})}
        for option, text in (files or {}).items():
            (folder / option).write_text(text)
            self._flags[option] = str(folder / option)
        ports_file = folder / "ports.json"
        self._log_path = folder / "log"
        with open(self._log_path, "wb") as log:
            self._process = subprocess.Popen(
                [MINICHAT, "serve", "--ports-file", ports_file, *self._options()],
                stdout=log, stderr=log)
        wait_for(lambda: ports_file.exists() or self._ended(), "the node listens")
        if self._ended():
            raise RuntimeError("the node ended:\n" + self._log_path.read_text())
        ports = json.loads(ports_file.read_text())
        self.uri = f"ws://127.0.0.1:{ports['client']}/ws"
        self._ready = f"http://127.0.0.1:{ports['admin']}/readyz"
        wait_for(self._serves, "the node serves")

    def token(self, user, ttl="1h"):
        """A token that this node takes, made by the program itself."""
        command = [MINICHAT, "token", *self._options(), "--user", user, "--ttl", ttl]
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()

    def terminate(self):
        self._process.terminate()

    def remove(self):
        """Ends it and removes its files."""
        self._process.terminate()
        self._process.wait(LIMIT_S)
        self._folder.cleanup()

    def _ended(self):
        return self._process.poll() is not None

    def _options(self):
        return [word for name, value in self._flags.items() for word in (f"--{name}", value)]

    def _serves(self):
        try:
            with urllib.request.urlopen(self._ready) as answer:
                return answer.status == 200
        except OSError:
            return False
