"""Fetches from the package index that pip is set up for.

fetch.py NAME FILE OUT                    one file of a package
fetch.py NAME FILE FOLDER PATTERN...      members of a wheel that match a pattern, each under its own name
                                          in FOLDER; of the wheel, only these are transferred where the
                                          index answers requests for ranges

Not `pip download`: for a source package that would run the package's own set-up code, and it has no way to
take a few small members out of a large wheel.
"""
import fnmatch
import html.parser
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import urllib.parse
import urllib.request
import zipfile


def index():
    url = os.environ.get("PIP_INDEX_URL", "")
    if not url:
        command = [sys.executable, "-m", "pip", "config", "get", "global.index-url"]
        url = subprocess.run(command, capture_output=True, text=True).stdout.strip()
    if not url:
        from pip._internal.models.index import PyPI
        url = PyPI.simple_url
    return url.rstrip("/") + "/"


class Links(html.parser.HTMLParser):
    def __init__(self):
        super().__init__()
        self.links = []

    def handle_starttag(self, tag, attributes):
        if tag == "a":
            self.links.append(dict(attributes).get("href") or "")


class Ranged:
    """A remote file as `zipfile` wants to see it: blocks are fetched when they are read."""

    BLOCK = 1 << 18

    def __init__(self, url):
        self.url, self.at, self.blocks = url, 0, {}
        with self.ask("bytes=0-0") as answer:
            if answer.status != 206:
                raise OSError("no ranges")
            self.size = int(answer.headers["Content-Range"].rsplit("/", 1)[1])

    def ask(self, span):
        request = urllib.request.Request(self.url, headers={"Range": span})
        return urllib.request.urlopen(request, timeout=180)

    def block(self, number):
        if number not in self.blocks:
            begin = number * self.BLOCK
            end = min(begin + self.BLOCK, self.size) - 1
            with self.ask(f"bytes={begin}-{end}") as answer:
                self.blocks[number] = answer.read()
            if len(self.blocks[number]) != end + 1 - begin:
                raise OSError("a range was cut short")
        return self.blocks[number]

    def seekable(self):
        return True

    def seek(self, offset, whence=0):
        self.at = offset + (0, self.at, self.size)[whence]
        return self.at

    def tell(self):
        return self.at

    def read(self, count=-1):
        left = self.size - self.at
        count = left if count < 0 else min(count, left)
        parts = []
        while count > 0:
            number, skip = divmod(self.at, self.BLOCK)
            part = self.block(number)[skip:skip + count]
            parts.append(part)
            self.at += len(part)
            count -= len(part)
        return b"".join(parts)


def locate(name, file):
    page = index() + name + "/"
    links = Links()
    with urllib.request.urlopen(page, timeout=60) as answer:
        links.feed(answer.read().decode())
    for link in links.links:
        url = urllib.parse.urljoin(page, link).split("#")[0]
        if urllib.parse.unquote(url.rsplit("/", 1)[-1]) == file:
            return url
    sys.exit(f"{name} has no file {file} in the package index")


def whole(url, out):
    with urllib.request.urlopen(url, timeout=180) as answer:
        shutil.copyfileobj(answer, out, 1 << 20)


def members(opened, folder, patterns):
    with zipfile.ZipFile(opened) as archive:
        for info in archive.infolist():
            name = pathlib.PurePosixPath(info.filename)
            wanted = any(fnmatch.fnmatch(info.filename, pattern) for pattern in patterns)
            if not wanted or info.is_dir() or name.is_absolute() or ".." in name.parts:
                continue
            place = pathlib.Path(folder) / name
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(archive.read(info))


def main(name, file, out, *patterns):
    url = locate(name, file)
    if not patterns:
        with open(out, "wb") as to:
            whole(url, to)
        return
    try:
        opened = Ranged(url)
    except OSError:
        opened = tempfile.TemporaryFile()
        whole(url, opened)
    members(opened, out, patterns)


main(*sys.argv[1:])
