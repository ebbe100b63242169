"""What a patch release provides, as digests: to compare it with the release of its minor that has a row.

patches.py list FAMILY               every version that the index lists, with the day of its first upload
patches.py torch VERSION...          schemas, built-in functions and format constants in the wheel
patches.py tensorflow VERSION...     op registry of the libraries and GraphDef version

Prints a line for each: VERSION, WHEEL, then NAME=COUNT:DIGEST for each thing that was read. Only the members that
are needed are transferred, where the index answers requests for ranges.

MACHINE (arm64, x86_64) says which wheels of torch are read: what a machine adds differs, so two that are compared
are of one. PACKAGES says which packages of TensorFlow are asked. OLD_PYTHON is the Python that loads libraries of
TensorFlow: those up to 2.13 want one before 3.9. KEEP is a folder for what was read, a JSON file a release.
"""
import hashlib
import json
import os
import re
import subprocess
import sys
import tempfile
import urllib.request
import zipfile

from pip._internal.models.index import PyPI

ACCEPT = {"Accept": "application/vnd.pypi.simple.v1+json"}


class Ranged:
    """A remote file as `zipfile` wants to see it."""

    BLOCK = 1 << 22

    def __init__(self, url, size):
        self.url, self.at, self.size, self.blocks = url, 0, size, {}

    def block(self, number):
        if number not in self.blocks:
            if len(self.blocks) > 4:
                self.blocks.clear()
            begin = number * self.BLOCK
            end = min(begin + self.BLOCK, self.size) - 1
            request = urllib.request.Request(self.url, headers={"Range": f"bytes={begin}-{end}"})
            with urllib.request.urlopen(request, timeout=180) as answer:
                if answer.status != 206:
                    raise OSError("no ranges")
                self.blocks[number] = answer.read()
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


def files(package):
    request = urllib.request.Request(f"{PyPI.simple_url}/{package}/", headers=ACCEPT)
    with urllib.request.urlopen(request, timeout=60) as answer:
        return json.load(answer)["files"]


def wheels(package, version, fits):
    """The wheels of a release that fit, the smallest first."""
    def of(one):
        parts = one["filename"].split("-")
        return one["filename"].endswith(".whl") and parts[1] == version and fits(one["filename"])
    return sorted(filter(of, files(package)), key=lambda one: (one["size"], one["filename"]))


def digest(lines):
    lines = sorted(set(lines))
    return f"{len(lines)}:{hashlib.sha256(chr(10).join(lines).encode()).hexdigest()[:16]}"


def members(wheel):
    return zipfile.ZipFile(Ranged(wheel["url"], wheel["size"]))


SCHEMA = re.compile(rb"(?<=\0)[\w:.]+\([^\0]*\) *-> *[^\0]+(?=\0)")
FUNCTION = re.compile(rb"(?<=\0)\s*def [^\0]+(?=\0)")
CONSTANT = re.compile(r"\bk(?:Min|Max|Produced)\w+ *= *[^;]+;")


def torch(version):
    # The same sources are built for every platform; the wheels for macOS have no CUDA and are small.
    found = wheels("torch", version, lambda name: "macosx" in name)
    if not found:
        raise OSError("no wheel")
    # Of one machine, so that what a machine adds does not differ; which one, the caller can say.
    machine = os.environ.get("MACHINE", "arm64")
    of_machine = [one for one in found if machine in one["filename"]]
    wheel = (of_machine or found)[0]
    lines = {}
    with members(wheel) as archive:
        names = archive.namelist()
        schemas, functions = set(), set()
        for name in names:
            if re.fullmatch(r"torch/lib/libtorch(_cpu)?\.dylib", name):
                data = archive.read(name)
                schemas |= {one.decode("utf-8", "replace") for one in SCHEMA.findall(data)}
                functions |= {one.decode("utf-8", "replace") for one in FUNCTION.findall(data)}
        lines["schemas"], lines["functions"] = schemas, functions
        for key, name in [("formats", "torch/include/caffe2/serialize/versions.h"),
                          ("formats", "torch/include/caffe2/serialize/inline_container.h")]:
            if name in names:
                text = re.sub(r"//[^\n]*", "", archive.read(name).decode())
                lines.setdefault(key, []).extend(re.sub(r"\s+", " ", one) for one in CONSTANT.findall(text))
        schema = "torch/_export/serde/schema.py"
        if schema in names:
            text = archive.read(schema).decode()
            lines["exported"] = [one for one in text.splitlines() if one.strip() and not one.strip().startswith("#")]
        unpickler = "torch/_weights_only_unpickler.py"
        if unpickler in names:
            text = archive.read(unpickler).decode()
            lines["unpickler"] = [one for one in text.splitlines() if one.strip() and not one.strip().startswith("#")]
    return wheel, lines


LIBRARIES = [
    "tensorflow/libtensorflow_framework.so", "tensorflow/libtensorflow_framework.so.2", "tensorflow/libtensorflow_framework.so.1",
    "tensorflow/libtensorflow_cc.so.2", "tensorflow/python/_pywrap_tensorflow_internal.so",
]
HEADER = re.compile(r"(?:[^/]+\.data/purelib/)?tensorflow(?:_core)?/include/(external/local_tsl/)?tensorflow(?:_core)?/core/public/(release_)?version\.h")
DUMP = r"""
import ctypes, os, sys
class Buffer(ctypes.Structure):
    _fields_ = [('data', ctypes.c_void_p), ('length', ctypes.c_size_t), ('free', ctypes.c_void_p)]
libraries = [ctypes.CDLL(path, mode=ctypes.RTLD_GLOBAL | os.RTLD_LAZY) for path in sys.argv[2:]]
for library in reversed(libraries):
    if hasattr(library, 'TF_GetAllOpList'):
        library.TF_GetAllOpList.restype = ctypes.POINTER(Buffer)
        ops = library.TF_GetAllOpList().contents
        open(sys.argv[1], 'wb').write(ctypes.string_at(ops.data, ops.length))
        os._exit(0)
sys.exit('no library has TF_GetAllOpList')
"""


def varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        value |= (byte & 127) << shift
        at, shift = at + 1, shift + 7
        if byte < 128:
            return value, at


def ops(data):
    """The definitions of an OpList, each as its bytes."""
    at, found = 0, []
    while at < len(data):
        key, at = varint(data, at)
        length, at = varint(data, at)
        found.append(data[at:at + length].hex())
        at += length
    return found


def tensorflow(version, keep):
    fault = None
    for package in os.environ.get("PACKAGES", "tensorflow-cpu tensorflow").split():
        for wheel in wheels(package, version, lambda name: "manylinux" in name and "x86_64" in name)[:1]:
            lines = {}
            with members(wheel) as archive, tempfile.TemporaryDirectory() as folder:
                names = archive.namelist()
                for name in names:
                    if HEADER.fullmatch(name):
                        text = archive.read(name).decode()
                        lines.setdefault("graph_def", []).extend(re.findall(r"define TF_GRAPH_DEF_VERSION\w* \d+", text))
                if "graph_def" in lines:
                    lines["graph_def"] = [one for one in lines["graph_def"] if "TF_GRAPH_DEF_VERSION" in one]
                # 1.15 to 2.1 have everything in a package of another name.
                core = [name.replace("tensorflow/", "tensorflow_core/", 1) for name in LIBRARIES]
                there = [name for name in LIBRARIES + core if name in names]
                # Some releases have small libraries of their own far below, which these need.
                small = [name for name in names if name.endswith(".so.so")]
                for name in there + small:
                    archive.extract(name, folder)
                places = {os.path.dirname(f"{folder}/{name}") for name in there + small}
                environment = dict(os.environ, LD_LIBRARY_PATH=":".join(sorted(places)))
                out = keep and f"{keep}/{version}.pb" or f"{folder}/ops.pb"
                done = subprocess.run([os.environ.get("OLD_PYTHON", sys.executable), "-c", DUMP, out] + [f"{folder}/{name}" for name in there],
                                      env=environment, capture_output=True, text=True)
                if done.returncode:
                    fault = done.stderr.strip().splitlines()[-1:]
                    continue
                with open(out, "rb") as data:
                    lines["ops"] = ops(data.read())
                return wheel, lines
    raise OSError(f"no wheel that says its ops: {fault}")


def listing(family):
    """Prints every version of a family, oldest first; JAX is what either of its packages lists."""
    from pip._vendor.packaging.version import Version
    if family == "tfjs":
        return listing_of_npm("@tensorflow/tfjs", "tensorflowjs")
    days = {}
    for package in {"jax": ["jax", "jaxlib"]}.get(family, [family]):
        before = set(days)
        for one in files(package):
            # What is neither a wheel nor a source archive is of releases that have one, too.
            if not one["filename"].endswith((".whl", ".tar.gz", ".zip")):
                continue
            # A source archive of old has the dashes of the name.
            name = re.sub(r"\.(tar\.gz|zip|whl)$", "", one["filename"])
            version = re.sub("^" + re.sub("[-_.]+", "[-_.]", package) + "-", "", name, flags=re.IGNORECASE).split("-")[0]
            if version not in before:
                days[version] = min(days.get(version, "9"), one["upload-time"][:10])
    for version in sorted(days, key=Version):
        print(version, days[version], sep="\t")


def listing_of_npm(package, twin):
    """The same for a package of npm, with the days of its twin for Python: of the same number, or the number before."""
    from pip._vendor.packaging.version import Version
    days = {}
    for one in files(twin):
        version = Version(re.sub(r"\.(tar\.gz|zip)$", "", one["filename"]).split("-")[1])
        if version > Version("0.0.0"):
            days[version] = min(days.get(version, "9"), one["upload-time"][:10])
    versions = json.loads(subprocess.check_output(["npm", "view", package, "versions", "--json"]))
    # Days do not go back where numbers go on: a fix of an old minor may be later than the next minor.
    later = "9"
    for version in sorted(days, reverse=True):
        later = days[version] = min(days[version], later)
    day, listed = min(days.values()), set(map(Version, versions))
    for version in sorted(listed | set(days)):
        day = days.get(version, day)
        if version in listed:
            print(version, day, sep="\t")


def main(family, *versions):
    if family == "list":
        return listing(*versions)
    keep = os.environ.get("KEEP", "")
    for version in versions:
        try:
            wheel, lines = torch(version) if family == "torch" else tensorflow(version, keep)
        except Exception as error:
            print(version, "-", repr(error), sep="\t", flush=True)
            continue
        if keep:
            with open(f"{keep}/{family}-{version}.json", "w") as out:
                json.dump({key: sorted(set(value)) for key, value in lines.items()}, out)
        says = [f"{key}={digest(value)}" for key, value in lines.items()]
        print(version, wheel["filename"], *says, sep="\t", flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
