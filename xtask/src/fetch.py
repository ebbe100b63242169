"""Fetches one file of a package from the index that pip is set up for: fetch.py NAME FILE OUT.

Not `pip download`: for a source package that would run the package's own set-up code.
"""
import html.parser
import os
import shutil
import subprocess
import sys
import urllib.parse
import urllib.request


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


name, file, out = sys.argv[1:]
page = index() + name + "/"
links = Links()
with urllib.request.urlopen(page, timeout=60) as answer:
    links.feed(answer.read().decode())
for link in links.links:
    url = urllib.parse.urljoin(page, link).split("#")[0]
    if urllib.parse.unquote(url.rsplit("/", 1)[-1]) == file:
        with urllib.request.urlopen(url, timeout=180) as answer, open(out, "wb") as to:
            shutil.copyfileobj(answer, to, 1 << 20)
        sys.exit(0)
sys.exit(f"{name} has no file {file} in the package index")
