"""What a release of llama.cpp knows about GGUF files, read from its sources.

llama_cpp_sources.py list FAMILY              the releases whose sources a registry has, a line each
llama_cpp_sources.py read FAMILY VERSION      what one release knows
llama_cpp_sources.py folder FOLDER            the same of sources that are there

FAMILY is `llama-cpp-python`, whose sources on PyPI have llama.cpp in `vendor`, or `llama.cpp`, whose builds are in the
package node-llama-cpp on npm, each as a bundle of git under the number of its build.

Prints `#released DAY`, `#commit HASH` where one is named, and a row for each thing that the release knows:

    NAME(architecture)      a value of general.architecture that it loads
    NAME(tokenizer)         a value of tokenizer.ggml.model
    NAME(pre-tokenizer)     a value of tokenizer.ggml.pre
    NAME(type)              a type of tensors, as ggml calls it, that is not removed
    NUMBER(file version)    a version of the format that it reads
    KEY(key)                a key without which it loads no model
    KEY(key of NAME)        the same for one architecture; `%s` of the sources is left out
    NAME(check)             something that it checks, or takes over from the file; see CHECKS

Nothing is compiled or run.
"""
import io
import json
import os
import pathlib
import re
import subprocess
import sys
import tarfile
import tempfile
import urllib.request

# What the sources say where they do it.
CHECKS = {
    "pre-tokenizer": r"tokenizer\.ggml\.pre\b",
    "unknown-pre-tokenizer": r"unknown pre-tokenizer type",
    "missing-pre-tokenizer": r"missing pre-tokenizer type, using",
    "unknown-tokenizer": r"throw std::runtime_error\(format\(\"unknown tokenizer: '%s'\"",
    "splits": r"model must be loaded with the first split",
    "alignment": r"alignment %zu is not a power of 2",
    "duplicate-key": r"duplicate key '%s' for",
    "duplicate-tensor": r"duplicate tensor name|tensor '%s' is duplicated",
    "offsets": r"has offset %\" PRIu64 \", expected %",
    "bounds": r"data is not within the file bounds",
    "newer-version": r"but this software only supports up to version",
    "byte-order": r"mismatch between the host and model endianness",
}

# Tables and functions of these files are read, and no example or test.
WANTED = re.compile(
    r"^(llama|llama-\w+|ggml|ggml-common)\.(c|cpp|h)$"
    r"|^src/llama[a-z-]*\.(cpp|h)$|^src/models/[a-z0-9_-]+\.(cpp|h)$"
    r"|^ggml/src/(ggml\.c|gguf\.cpp|ggml-common\.h)$|^ggml/include/(ggml|gguf)\.h$|^include/llama\.h$"
)
LARGEST = 8 << 20


def plain(text):
    """The source without its comments; a text in quotes stays."""
    part = re.compile(r'"(?:\\.|[^"\\\n])*"|//[^\n]*|/\*.*?\*/', re.S)
    return part.sub(lambda found: found[0] if found[0][0] == '"' else " ", text)


def closing(text, start):
    """Where the bracket at `start` is closed."""
    depth = 0
    quoted = re.compile(r'"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])+\'|[{}]')
    for found in quoted.finditer(text, start):
        if found[0] == "{":
            depth += 1
        elif found[0] == "}":
            depth -= 1
            if depth == 0:
                return found.start()
    return len(text)


def pairs(text, table):
    """The entries of a map from an enumerator to a text."""
    found = re.search(r"\b" + table + r"\s*=\s*\{", text)
    if not found:
        return {}
    body = text[found.end() - 1:closing(text, found.end() - 1)]
    return dict(re.findall(r"\{\s*(\w+)\s*,\s*\"([^\"]*)\"", body))


def types(header, source):
    """The types of tensors, less those that have no size any more."""
    found = re.search(r"\benum\s+ggml_type\s*\{", header)
    body = header[found.end():closing(header, found.end() - 1)]
    number, numbers = 0, {}
    for entry in body.split(","):
        entry = re.match(r"\s*GGML_TYPE_(\w+)(?:\s*=\s*(\d+))?\s*$", entry)
        if not entry:
            continue
        number = int(entry[2]) if entry[2] else number
        if entry[1] != "COUNT":
            numbers[entry[1]] = number
        number += 1
    gone = set()
    for entry in re.finditer(r"\[\s*(?:GGML_TYPE_(\w+)|(\d+))\s*\]\s*=\s*\{", source):
        body = source[entry.end():closing(source, entry.end() - 1)]
        if re.search(r"\.blck_size\s*=\s*0\b", body) or re.search(r"DEPRECATED|REMOVED", body):
            gone.add(entry[1] or int(entry[2]))
    return [name for name, at in numbers.items() if name not in gone and at not in gone]


def calls(body):
    """The keys that a function demands: calls of the outermost block, whose last argument does not say that the key may
    be absent, and before which nothing decides whether they are made."""
    keys, depth, at = [], 0, 0
    token = re.compile(
        r'"(?:\\.|[^"\\\n])*"|[{}]|\breturn\b|(?:ml\.get_(?:key|arr|key_or_arr|arr_n)|GGUF_GET_KEY)\s*\('
    )
    while found := token.search(body, at):
        at = found.end()
        if found[0] == "{":
            depth += 1
        elif found[0] == "}":
            depth -= 1
            if depth < 0:
                break
        elif found[0].endswith("("):
            end, level = at, 1
            while level and end < len(body):
                level += {"(": 1, ")": -1}.get(body[end], 0)
                end += 1
            inner = body[at:end - 1]
            before = re.split(r"[;{}]", body[:found.start()])[-1].strip()
            key = re.search(r"\bLLM_KV_\w+", inner)
            optional = re.search(r",\s*(false|!\w.*|\w+\s*==.*|required)\s*$", inner)
            if found[0].startswith("GGUF"):
                optional = not re.search(r",\s*true\s*,", inner)
            if depth == 0 and key and not optional and not before:
                keys.append(key[0])
            at = end
    return keys


def demanded(text, architectures, models):
    """Keys that every model needs, and those of each architecture."""
    function = re.search(r"\bvoid\s+(?:llm_load_hparams\s*\(|llama_model(?:_base)?::load_hparams\s*\()", text)
    if not function:
        return [], {}
    start = text.index("{", function.end())
    body = text[start + 1:closing(text, start)]
    switch = re.search(r"\bswitch\s*\(\s*(?:model\.)?arch\s*\)\s*\{", body)
    common = [key for key in calls(body[:switch.start()] if switch else body)]
    own = {}
    if switch:
        inside = body[switch.end():closing(body, switch.end() - 1)]
        for case in re.finditer(r"((?:\bcase\s+LLM_ARCH_\w+\s*:\s*)+)\{", inside):
            block = inside[case.end():closing(inside, case.end() - 1)]
            for name in re.findall(r"LLM_ARCH_\w+", case[1]):
                own.setdefault(name, []).extend(calls(block))
    for model in models:
        for method in re.finditer(r"\bvoid\s+llama_model_(\w+)::load_arch_hparams\s*\([^)]*\)\s*\{", model):
            block = model[method.end():closing(model, method.end() - 1)]
            own.setdefault("LLM_ARCH_" + method[1].upper(), []).extend(calls(block))
    return common, {name: keys for name, keys in own.items() if name in architectures}


def knows(files):
    """The rows of a release, by the texts of its files."""
    texts = {name: plain(text) for name, text in files.items()}
    def text_of(*names):
        return "\n".join(texts[name] for name in names if name in texts)
    core = "\n".join(text for name, text in texts.items() if re.match(r"^(src/)?llama[a-z-]*\.(cpp|h)$", name))
    reader = text_of("ggml.c", "ggml/src/ggml.c", "ggml/src/gguf.cpp")
    everything = core + reader
    rows = set()
    architectures = pairs(core, "LLM_ARCH_NAMES")
    has = served(core)
    rows.update(
        f"{name}(architecture)"
        for key, name in architectures.items()
        if name != "(unknown)" and (has is None or key in has or name == "clip")
    )
    keys = pairs(core, "LLM_KV_NAMES")
    named = r"\btokenizer_(?:model|name)\s*==\s*\"([^\"]+)\""
    rows.update(f"{name}(tokenizer)" for name in re.findall(named, core))
    named = r"\btokenizer_pre\s*==\s*\"([^\"]+)\""
    rows.update(f"{name}(pre-tokenizer)" for name in re.findall(named, core))
    header, source = text_of("ggml.h", "ggml/include/ggml.h"), text_of("ggml.c", "ggml/src/ggml.c")
    rows.update(f"{name}(type)" for name in types(header, source))
    gone = "GGUFv1 is no longer supported" in reader
    first = "header.version == 1" in reader or gone
    versions = [2, 3] if gone else [1, 2, 3] if first else [1]
    rows.update(f"{version}(file version)" for version in versions)
    common, own = demanded(core, architectures, [text for name, text in texts.items() if name.startswith("src/models/")])
    bare = lambda key: keys[key].removeprefix("%s.")
    every = set()
    for key in common:
        if key in keys and not keys[key].startswith(("general.", "tokenizer.")):
            every.add(key)
            rows.add(f"{bare(key)}(key)")
    for name, demands in own.items():
        rows.update(f"{bare(key)}(key of {architectures[name]})" for key in demands if key in keys and key not in every)
    if re.search(r"get_key\(LLM_KV_TOKENIZER_MODEL,\s*\w+\)|true,\s*kv\(LLM_KV_TOKENIZER_MODEL\)", core):
        rows.add("tokenizer.ggml.model(key)")
    rows.update(f"{name}(check)" for name, said in CHECKS.items() if re.search(said, everything))
    return rows


def served(text):
    """The architectures that are not only named: those that stand in each choice which ends in an error for all others."""
    every = None
    for error in re.finditer(r"default:\s*\{?\s*throw std::runtime_error\(\s*(?:format\(|std::string\()?\"(?:unknown|unsupported model) architecture", text):
        starts = [one for one in re.finditer(r"\bswitch\s*\([^{;]*\)\s*\{", text[:error.start()])]
        start = next((one for one in reversed(starts) if closing(text, one.end() - 1) > error.start()), None)
        if start:
            names = set(re.findall(r"\bcase\s+(LLM_ARCH_\w+)\s*:", text[start.end():error.start()]))
            every = names if every is None else every & names
    return every


def index():
    url = os.environ.get("PIP_INDEX_URL", "")
    if not url:
        command = [sys.executable, "-m", "pip", "config", "get", "global.index-url"]
        url = subprocess.run(command, capture_output=True, text=True).stdout.strip()
    if not url:
        from pip._internal.models.index import PyPI
        url = PyPI.simple_url
    return url.rstrip("/") + "/"


def sdists():
    """The source packages of llama-cpp-python: their addresses and days."""
    accepted = {"Accept": "application/vnd.pypi.simple.v1+json"}
    asked = urllib.request.Request(index() + "llama-cpp-python/", headers=accepted)
    with urllib.request.urlopen(asked, timeout=60) as answer:
        listed = json.load(answer)["files"]
    found = {}
    for file in listed:
        name = re.fullmatch(r"llama_cpp_python-(\d+(?:\.\d+)+)\.tar\.gz", file["filename"])
        if name:
            found[name[1]] = (file["url"], file["upload-time"][:10])
    return found


def of_sdist(version):
    """The files of llama.cpp in a source package, read as it comes in, with its day and the commit that it names."""
    url, day = sdists()[version]
    files, commit = {}, None
    with urllib.request.urlopen(url, timeout=180) as answer, tarfile.open(fileobj=answer, mode="r|gz") as archive:
        for member in archive:
            name = member.name.split("/", 1)[-1]
            if member.isfile() and name == "CHANGELOG.md":
                commit = named_commit(archive.extractfile(member).read().decode(), version)
            name = name.removeprefix("vendor/llama.cpp/")
            if member.isfile() and name != member.name.split("/", 1)[-1] and WANTED.match(name) and member.size < LARGEST:
                files[name] = archive.extractfile(member).read().decode(errors="replace")
    return files, day, commit


def named_commit(changes, version):
    """The commit of llama.cpp that the changes of this version name."""
    section = re.search(r"^## \[" + re.escape(version) + r"\].*?(?=^## \[|\Z)", changes, re.M | re.S)
    found = re.findall(r"llama\.cpp@([0-9a-f]{7,40})", section[0]) if section else []
    return found[0][:9] if found else None


def of_build(build):
    """The files of a build, from the package on npm that has it."""
    with tempfile.TemporaryDirectory() as scratch:
        package = bundles()[build]
        subprocess.run(["npm", "pack", "--silent", f"node-llama-cpp@{package}"], cwd=scratch, check=True,
                       stdout=subprocess.DEVNULL)
        packed = next(pathlib.Path(scratch).glob("*.tgz"))
        bundle = f"{scratch}/bundle"
        with tarfile.open(packed) as archive:
            stated = json.load(archive.extractfile("package/llama/binariesGithubRelease.json"))["release"]
            if stated != f"b{build}":
                sys.exit(f"node-llama-cpp {package} has {stated}, not b{build}")
            pathlib.Path(bundle).write_bytes(archive.extractfile("package/llama/gitRelease.bundle").read())
        git = ["git", "-C", f"{scratch}/r"]
        subprocess.run(["git", "init", "-q", "--bare", f"{scratch}/r"], check=True)
        head = subprocess.check_output(["git", "bundle", "list-heads", bundle], text=True).split()[1]
        subprocess.run([*git, "fetch", "-q", "--depth", "1", "--update-shallow", bundle, head], check=True)
        said = subprocess.check_output([*git, "log", "-1", "--format=%cI %H", "FETCH_HEAD"], text=True).split()
        names = subprocess.check_output([*git, "ls-tree", "-r", "--name-only", "FETCH_HEAD"], text=True).split("\n")
        names = [name for name in names if WANTED.match(name)]
        packed = subprocess.check_output([*git, "archive", "--format=tar", "FETCH_HEAD", *names])
        files = {}
        with tarfile.open(fileobj=io.BytesIO(packed)) as archive:
            for member in archive:
                if member.isfile() and member.size < LARGEST:
                    files[member.name] = archive.extractfile(member).read().decode(errors="replace")
        return files, said[0][:10], said[1][:9]


def bundles():
    """The builds that packages on npm have: the number of each, and the last version of node-llama-cpp with it."""
    table = pathlib.Path(__file__).with_name("llama_cpp_builds.tsv").read_text()
    lines = [line.split("\t") for line in table.splitlines() if not line.startswith("#")]
    return {build: package for build, package in lines}


def of_folder(folder):
    files, root = {}, pathlib.Path(folder)
    for path in sorted(root.rglob("*")):
        name = path.relative_to(root).as_posix()
        if path.is_file() and WANTED.match(name):
            files[name] = path.read_text(errors="replace")
    return files


def main(what, *rest):
    if what == "list":
        found = sdists() if rest[0] == "llama-cpp-python" else {build: ("", "") for build in bundles()}
        for version in sorted(found, key=lambda text: [int(part) for part in text.split(".")]):
            print(version, found[version][1], sep="\t")
        return
    day, commit = None, None
    if what == "folder":
        files = of_folder(rest[0])
    else:
        files, day, commit = of_sdist(rest[1]) if rest[0] == "llama-cpp-python" else of_build(rest[1])
    if not any(name.endswith("llama.cpp") for name in files):
        sys.exit(f"no sources of llama.cpp: {' '.join(rest)}")
    for key, value in [("released", day), ("commit", commit)]:
        if value:
            print(f"#{key} {value}")
    for row in sorted(knows(files)):
        print(row)


if __name__ == "__main__":
    main(*sys.argv[1:])
