"""Files of a package index, read by range."""

import io
import urllib.request

ACCEPT = {"Accept": "application/vnd.pypi.simple.v1+json"}


def read(url, headers):
    with urllib.request.urlopen(urllib.request.Request(url, headers=headers), timeout=180) as answer:
        if "Range" in headers and answer.status != 206:
            raise OSError("no ranges")
        return answer.read()


class Ranged(io.RawIOBase):
    """A remote file as `zipfile` wants to see it; what was read of it is kept.

    `least`: the least bytes of a request. The directory of most wheels is smaller than the default.
    """

    def __init__(self, url, size, least=1 << 16):
        self.url, self.at, self.size, self.least, self.parts = url, 0, size, least, []

    def seekable(self):
        return True

    def tell(self):
        return self.at

    def seek(self, offset, whence=0):
        self.at = offset + (0, self.at, self.size)[whence]
        return self.at

    def read(self, count=-1):
        end = self.size if count < 0 else min(self.at + count, self.size)
        begin, self.at = self.at, max(end, self.at)
        for start, part in self.parts:
            if start <= begin and end <= start + len(part):
                return part[begin - start:end - start]
        # What lies at the end is read from there, as the directory is.
        start = max(0, min(begin, self.size - self.least))
        stop = max(end, min(start + self.least, self.size))
        part = read(self.url, {"Range": f"bytes={start}-{stop - 1}"})
        self.parts.append((start, part))
        return part[begin - start:end - start]
