"""Runs single calls of operators on whatever PyTorch runs this, 1.4 or later, and prints what each gave: the measurements
behind crates/torch/archives/data/changes.tsv.

    torch_operators.py FORMS.jsonl OUT.tsv SEED
    torch_operators.py FORMS.jsonl FOLDER SEED write

The second saves an archive of each form that runs.

A line of FORMS is {"name", "params", "returns", "body", "runs"}: a function with one call, and the inputs of its runs. Each
is put into an archive as this release writes them, or has one under "archive", and is loaded. OUT gets a line for each
form: `-` and the error if it is not loaded, or what each run gave, with tabs between: types, shapes and values, `!` and the error, `CRASH`. Inputs are
texts: `float32:2,3:plain` is a tensor by its type, its shape and the name of its values, `[A|B]` are several, all else is
Python. Two runs with different SEEDs, and another MALLOC_PERTURB_, tell what is random or never written.
"""
import io, json, os, random, resource, signal, sys, warnings, zipfile

warnings.filterwarnings("ignore")
os.environ["CUDA_VISIBLE_DEVICES"] = ""
import torch

import operator_numbers

torch.set_num_threads(1)
if hasattr(torch._C, "_jit_set_profiling_executor"):
    torch._C._jit_set_profiling_executor(False)
RELEASE = tuple(int(part) for part in torch.__version__.split("+")[0].split(".")[:2])
# What each release writes at the most: its own meaning of every operator.
VERSIONS = [((1, 12), 10), ((1, 11), 9), ((1, 9), 6), ((1, 6), 5), ((1, 5), 2), ((1, 0), 1)]
VERSION = [version for since, version in VERSIONS if RELEASE >= since][0]
SEED = int(sys.argv[3])
# A run has so many seconds.
LIMIT = 2
CHUNK = 100


def archive(form):
    head = "class M(Module):\n  __parameters__ = []\n"
    if RELEASE >= (1, 6):
        head += "  __buffers__ = []\n"
    params = "".join(", " + one for one in form["params"])
    code = "%s  def forward(self: __torch__.M%s) -> %s:\n    return %s\n"
    code = code % (head, params, form["returns"], form["body"])
    file = io.BytesIO()
    records = zipfile.ZipFile(file, "w")
    records.writestr("net/version", "%d\n" % VERSION)
    records.writestr("net/data.pkl", b"\x80\x02c__torch__\nM\n)\x81}b.")
    records.writestr("net/code/__torch__.py", code)
    records.writestr("net/constants.pkl", b"\x80\x02).")
    records.close()
    file.seek(0)
    return file


def values(kind, n, dtype):
    is_float = dtype.startswith(("float", "complex"))
    common = operator_numbers.numbers(kind, n, is_float)
    if common is not None:
        return common
    if kind == "zeros":
        return [0] * n
    if kind == "large":
        if dtype == "uint8":
            return [200 + i % 50 for i in range(n)]
        return [(1e30 if is_float else 2 ** 40) + i for i in range(n)]
    if kind.startswith("rand"):
        numbers = random.Random(int(kind[4:]))
        small = 2 if dtype == "bool" else 9
        one = (lambda: numbers.uniform(-3.0, 3.0)) if is_float else (lambda: numbers.randrange(small))
        some = [one() for _ in range(n)]
        return [-i if dtype in ("int64", "int32") and at % 2 else i for at, i in enumerate(some)]
    if kind == "index":
        return [i % 2 for i in range(n)]
    if kind == "negindex":
        return [-1 - i % 2 for i in range(n)]
    raise ValueError(kind)


def made(text):
    if text.startswith("[") and ":" in text:
        return [made(one) for one in text[1:-1].split("|")]
    if text.count(":") == 2 and not text.startswith("{"):
        dtype, shape, kind = text.split(":")
        shape = [int(one) for one in shape.split(",") if one]
        strided = kind == "strided"
        some = values("plain" if strided else kind, operator_numbers.count(shape), dtype)
        flat = torch.tensor(some, dtype=getattr(torch, dtype))
        if strided and len(shape) > 1:
            return flat.reshape(list(reversed(shape))).permute(*reversed(range(len(shape))))
        return flat.reshape(shape)
    return eval(text)


def number(one):
    if isinstance(one, bool):
        return str(one)
    if isinstance(one, complex):
        return number(one.real) + "i" + number(one.imag)
    return "%.7g" % one if isinstance(one, float) else str(one)


def plain(value):
    if isinstance(value, torch.Tensor):
        flat = value.detach()
        if flat.layout != torch.strided:
            flat = flat.to_dense()
        flat = flat.contiguous().reshape(-1)
        head = "%s[%s]" % (str(value.dtype)[6:], ",".join(str(one) for one in value.shape))
        return head + " ".join(number(one) for one in flat[:24].tolist())
    if isinstance(value, (list, tuple)):
        return "(" + ";".join(plain(one) for one in value) + ")"
    if isinstance(value, dict):
        return "{" + ";".join("%s=%s" % (plain(one), plain(value[one])) for one in value) + "}"
    if isinstance(value, (bool, int, float, complex)):
        return type(value).__name__ + " " + number(value)
    return str(value)


def word(error):
    lines = [one.strip() for one in str(error).strip().splitlines() if one.strip()]
    lines = [one for one in lines if "HERE" not in one and not one.startswith(("^", "~"))] or [""]
    at = [one for one in lines if "RuntimeError:" in one]
    text = (at or lines)[-1].replace("RuntimeError: ", "")
    return "!" + text.replace("\t", " ")[:110]


def form(line, skip, say):
    """Runs a form from run `skip` on, and says what each gave, with tabs between."""
    one = json.loads(line)
    try:
        method = torch.jit.load(one.get("archive") or archive(one))._c._get_method("forward")
    except Exception as error:
        return say("-" + word(error)[1:] + "\n")
    for at, run in enumerate(one["runs"][skip:], skip):
        torch.manual_seed(SEED)
        signal.alarm(LIMIT)
        try:
            text = plain(method(*[made(text) for text in run])).replace("\n", " ").replace("\t", " ")
        except Exception as error:
            text = word(error)
        say(("\t" if at else "") + text)
    say("\n")


def some(lines, skip, into):
    """Runs lines in a process of its own, the first one from run `skip` on; how many it did, and runs of the next."""
    begin = os.path.getsize(into)
    child = os.fork()
    if child == 0:
        resource.setrlimit(resource.RLIMIT_AS, (24 << 30, 24 << 30))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
        into = os.open(into, os.O_WRONLY | os.O_APPEND)
        for at, line in enumerate(lines):
            form(line, 0 if at else skip, lambda text: os.write(into, text.encode()))
        os._exit(0)
    os.waitpid(child, 0)
    with open(into, "rb") as file:
        file.seek(begin)
        text = file.read()
    done, rest = text.count(b"\n"), text[text.rfind(b"\n") + 1 :]
    return done, rest.count(b"\t") + (0 if done == 0 and skip else bool(rest))


def told(value):
    if isinstance(value, torch.Tensor):
        flat = value.detach().contiguous().reshape(-1).tolist()
        odd = lambda one: isinstance(one, float) and (one != one or abs(one) == float("inf"))
        flat = [[one.real, one.imag] if isinstance(one, complex) else str(one) if odd(one) else one for one in flat]
        return {"dtype": str(value.dtype)[6:], "shape": list(value.shape), "values": flat}
    return [told(one) for one in value] if isinstance(value, (list, tuple)) else value


def write(lines, folder):
    """Saves each form as this release does, if it runs; what it gave is a line of JSON."""
    for number, line in enumerate(lines):
        one = json.loads(line)
        stem = "f%d" % number
        sys.stdout.flush()
        child = os.fork()
        if child:
            os.waitpid(child, 0)
            continue
        os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        signal.alarm(LIMIT)
        try:
            model = torch.jit.load(archive(one))
            inputs = [told(made(text)) for text in one["runs"][0]]
            results = []
            for seed in (1, 2):
                torch.manual_seed(seed)
                results.append(told(model(*[made(text) for text in one["runs"][0]])))
            if json.dumps(results[0]) != json.dumps(results[1]):
                os._exit(0)
            detail = {"name": stem, "pieces": [one["name"], one["body"]] + one["runs"][0], "inputs": inputs}
            detail.update(outputs=results[0], files=[stem + ".pt"])
            # JSON has no NaN.
            detail = json.dumps(detail, allow_nan=False)
            model.save(os.path.join(folder, stem + ".pt"))
        except Exception:
            os._exit(0)
        print(json.dumps({"step": stem, "ok": True, "detail": detail, "seconds": 0.0}))
        sys.stdout.flush()
        os._exit(0)


def main():
    lines = open(sys.argv[1]).read().splitlines()
    if len(sys.argv) > 4:
        return write(lines, sys.argv[2])
    open(sys.argv[2], "w").close()
    at = skip = 0
    while at < len(lines):
        part = lines[at : at + CHUNK]
        done, runs = some(part, skip, sys.argv[2])
        at, skip = at + done, runs + (skip if done == 0 else 0)
        if done == len(part):
            continue
        # It ended in this run; the next process begins behind it.
        with open(sys.argv[2], "a") as file:
            file.write(("\t" if skip else "") + "CRASH")
            skip += 1
            if skip >= len(json.loads(lines[at])["runs"]):
                file.write("\n")
                at, skip = at + 1, 0


main()
