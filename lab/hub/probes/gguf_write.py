"""Writes tiny GGUF models with the package gguf, of random weights: architectures, pre-tokenizers, types of tensors, containers.

gguf_write.py FOLDER NAMES

NAMES has a line for each name that any release knows, as the database has it: `qwen3(architecture)`, `llama-bpe(pre-tokenizer)`.
Every file is below 1 MB. What a file asks of a release is in its name.
"""
import pathlib
import struct
import sys

import gguf
import numpy

RANDOM = numpy.random.default_rng(53)
TYPES = {name: number.value for name, number in gguf.GGMLQuantizationType.__members__.items()}
# Removed from the package: the number, and the type that has blocks of the same size.
REMOVED = {"Q4_0_4_4": (31, "Q4_0"), "Q4_0_4_8": (32, "Q4_0"), "Q4_0_8_8": (33, "Q4_0"), "IQ4_NL_4_4": (36, "IQ4_NL")}


def bytes_of_gpt2():
    """The 256 signs that stand for bytes in vocabularies of pairs of bytes."""
    kept = [*range(33, 127), *range(161, 173), *range(174, 256)]
    other = iter(range(256, 512))
    return [chr(byte if byte in kept else next(other)) for byte in range(256)]


class Model:
    """A model of one layer, and what is asked to be odd in it."""

    def __init__(self, architecture="llama", width=32, kind="F32", tokenizer="llama", pre=None, **keys):
        self.architecture, self.width, self.kind = architecture, width, kind
        self.tokenizer, self.pre, self.keys = tokenizer, pre, keys
        self.tensors = []
        self.without = set()

    def add(self, name, *shape, kind=None):
        """A tensor; the row comes first in `shape`, as in a file."""
        self.tensors.append((name, shape, kind or (self.kind if len(shape) > 1 else "F32")))

    def vocabulary(self):
        if self.tokenizer == "gpt2":
            return bytes_of_gpt2() + ["\u0120a", "<end>"]
        return ["<unk>", "<s>", "</s>"] + [f"<0x{byte:02X}>" for byte in range(256)] + ["\u2581", "a"]

    def blocks(self):
        """The tensors of the architecture, as far as it is one of these."""
        width, words = self.width, len(self.vocabulary())
        a, add = self.architecture, self.add
        def both(name, *shape):
            add(f"{name}.weight", *shape)
            add(f"{name}.bias", shape[-1])
        add("token_embd.weight", width, words)
        b = "blk.0."
        with_bias = a in ("gpt2", "falcon", "starcoder2", "stablelm", "nemotron", "orion")
        norm = both if with_bias else lambda name, size: add(f"{name}.weight", size)
        norm("output_norm", width)
        if a not in ("gemma", "gemma2", "gemma3", "command-r"):
            add("output.weight", width, words)
        if a == "gpt2":
            add("position_embd.weight", width, 32)
        if a == "olmo2":
            norm(b + "post_attention_norm", width)
            norm(b + "post_ffw_norm", width)
        else:
            norm(b + "attn_norm", width)
        if a in ("gpt2", "phi3", "falcon"):
            (both if a == "gpt2" else lambda name, *shape: add(f"{name}.weight", *shape))(b + "attn_qkv", width, 3 * width)
        else:
            for part in "qkv":
                add(f"{b}attn_{part}.weight", width, width)
                if a in ("qwen2", "starcoder2"):
                    add(f"{b}attn_{part}.bias", width)
        if a in ("qwen3", "gemma3"):
            add(b + "attn_q_norm.weight", width // 2)
            add(b + "attn_k_norm.weight", width // 2)
        if a == "olmo2":
            add(b + "attn_q_norm.weight", width)
            add(b + "attn_k_norm.weight", width)
        out = both if a in ("gpt2", "starcoder2") else lambda name, *shape: add(f"{name}.weight", *shape)
        out(b + "attn_output", width, width)
        if a in ("gemma2", "gemma3"):
            norm(b + "post_attention_norm", width)
            norm(b + "post_ffw_norm", width)
        if a not in ("falcon", "command-r", "olmo2"):
            norm(b + "ffn_norm", width)
        if a == "phi3":
            add(b + "ffn_up.weight", width, 2 * width)
            add(b + "ffn_down.weight", width, width)
        elif a in ("gpt2", "starcoder2", "falcon", "nemotron", "arcee"):
            part = both if a in ("gpt2", "starcoder2") else out
            part(b + "ffn_up", width, width)
            part(b + "ffn_down", width, width)
        else:
            for part in ("gate", "up", "down"):
                add(f"{b}ffn_{part}.weight", width, width)
        return self

    def metadata(self):
        a, width = self.architecture, self.width
        own = {
            "context_length": 32, "embedding_length": width, "block_count": 1, "feed_forward_length": width,
            "attention.head_count": 2, "attention.head_count_kv": 2, "rope.dimension_count": width // 2,
            "attention.layer_norm_rms_epsilon": 1e-5, "attention.layer_norm_epsilon": 1e-5, "vocab_size": len(self.vocabulary()),
        }
        if a in ("gemma2", "gemma3", "phi3"):
            own["attention.sliding_window"] = 16
        if a == "phi3":
            own["rope.scaling.original_context_length"] = 32
        if a in ("gemma", "gemma2", "gemma3"):
            own |= {"attention.key_length": width // 2, "attention.value_length": width // 2}
        if a == "command-r":
            own["logit_scale"] = 1.0
        if a == "stablelm":
            own["use_parallel_residual"] = False
        if a == "granite":
            own |= {"logit_scale": 1.0, "residual_scale": 1.0, "embedding_scale": 1.0, "attention.scale": 1.0}
        keys = {"general.architecture": a, "general.name": "tiny"} | {f"{a}.{key}": value for key, value in own.items()}
        words = self.vocabulary()
        keys |= {
            "tokenizer.ggml.model": self.tokenizer, "tokenizer.ggml.tokens": words,
            "tokenizer.ggml.scores": [0.0] * len(words),
            "tokenizer.ggml.token_type": [3 if word.startswith("<") and not word.startswith("<0x") else 1 for word in words],
            "tokenizer.ggml.bos_token_id": 1, "tokenizer.ggml.eos_token_id": 2,
        }
        if self.tokenizer == "gpt2":
            keys["tokenizer.ggml.merges"] = ["\u0120 a"]
        if self.pre:
            keys["tokenizer.ggml.pre"] = self.pre
        keys |= self.keys
        return {key: value for key, value in keys.items() if key not in self.without}


def data_of(shape, kind):
    """Bytes of a tensor, and the number of its type."""
    number, same = REMOVED.get(kind, (TYPES.get(kind, 99), kind if kind in TYPES else "F32"))
    block, size = gguf.GGML_QUANT_SIZES[gguf.GGMLQuantizationType[same]]
    count = int(numpy.prod(shape))
    if same == "F32":
        return number, (RANDOM.standard_normal(count) * 0.02).astype("<f4").tobytes()
    if same == "F16":
        return number, (RANDOM.standard_normal(count) * 0.02).astype("<f2").tobytes()
    return number, RANDOM.integers(0, 64, count // block * size, dtype=numpy.uint8).tobytes()


def write(path, model):
    """By the package, except for types that it has no more."""
    if all(kind in TYPES for _, _, kind in model.tensors):
        writer = gguf.GGUFWriter(None, model.architecture)
        writer.kv_data[0].pop("general.architecture", None)
        for key, value in model.metadata().items():
            add_key(writer, key, value)
        for name, shape, kind in model.tensors:
            number, raw = data_of(shape, kind)
            block, size = gguf.GGML_QUANT_SIZES[gguf.GGMLQuantizationType(number)]
            row = shape[0] // block * size
            tensor = numpy.frombuffer(raw, dtype=numpy.uint8).reshape(*reversed(shape[1:]), row)
            writer.add_tensor(name, tensor, raw_dtype=gguf.GGMLQuantizationType(number))
        writer.write_header_to_file(path)
        writer.write_kv_data_to_file()
        writer.write_tensors_to_file()
        writer.close()
        return
    path.write_bytes(plain(model))


def add_key(writer, key, value):
    if isinstance(value, bool):
        writer.add_bool(key, value)
    elif isinstance(value, str):
        writer.add_string(key, value)
    elif isinstance(value, int):
        writer.add_uint32(key, value)
    elif isinstance(value, float):
        writer.add_float32(key, value)
    else:
        writer.add_array(key, value)


def value_of(value, e, wide):
    """A value as a file has it, with its type."""
    length = (e + "Q") if wide else (e + "I")
    text = lambda one: struct.pack(length, len(one.encode())) + one.encode()
    if isinstance(value, Raw):
        return value
    if isinstance(value, bool):
        return struct.pack(e + "I?", 7, value)
    if isinstance(value, str):
        return struct.pack(e + "I", 8) + text(value)
    if isinstance(value, int):
        return struct.pack(e + "II", 4, value)
    if isinstance(value, float):
        return struct.pack(e + "If", 6, value)
    kind = {str: 8, int: 5, float: 6}[type(value[0])]
    pack = {8: text, 5: lambda one: struct.pack(e + "i", one), 6: lambda one: struct.pack(e + "f", one)}[kind]
    return struct.pack(e + "II", 9, kind) + struct.pack(length, len(value)) + b"".join(map(pack, value))


class Raw(bytes):
    """A value as it stands in a file."""


def plain(model, version=3, order="<", align=32, again=(), gap=0, cut=0, tensors_again=()):
    """A whole file without the package: what that does not write."""
    e, wide = order, version != 1
    length = (e + "Q") if wide else (e + "I")
    text = lambda one: struct.pack(length, len(one.encode())) + one.encode()
    keys = list(model.metadata().items())
    keys += [(key, dict(keys)[key]) for key in again]
    tensors = model.tensors + [one for one in model.tensors if one[0] in tensors_again]
    head = b"GGUF" + struct.pack(e + "I", version) + struct.pack(length, len(tensors)) + struct.pack(length, len(keys))
    head += b"".join(text(key) + value_of(value, e, wide) for key, value in keys)
    data = b""
    for name, shape, kind in tensors:
        number, raw = data_of(shape, kind)
        head += text(name) + struct.pack(e + "I", len(shape)) + b"".join(struct.pack(length, size) for size in shape)
        head += struct.pack(e + "IQ", number, len(data))
        data += raw + bytes(-len(raw) % align) + bytes(gap)
    whole = head + bytes(-len(head) % align) + data
    return whole[:len(whole) - cut]


def main(folder, names):
    folder = pathlib.Path(folder)
    known = [line.rstrip(")").split("(") for line in pathlib.Path(names).read_text().splitlines()]
    of = lambda kind: sorted({name for name, one in known if one == kind})
    recipes = ["llama", "qwen2", "qwen3", "gemma", "gemma2", "gemma3", "phi3", "gpt2", "falcon", "starcoder2", "stablelm", "olmo2",
               "internlm2", "granite", "command-r", "nemotron", "orion", "xverse", "exaone", "smollm3", "arcee"]
    for name in recipes:
        write(folder / f"architecture-{name}.gguf", Model(name).blocks())
    # Of the others only the header is right: the release says whether it knows the name before it looks for tensors.
    for name in sorted(set(of("architecture")) - set(recipes) - {"clip"}) + ["no-such"]:
        model = Model(name)
        model.add("token_embd.weight", 32, len(model.vocabulary()))
        write(folder / f"header-{name}.gguf", model)
    for name in of("pre-tokenizer") + ["no-such"]:
        write(folder / f"pre-{name}.gguf", Model(tokenizer="gpt2", pre=name).blocks())
    write(folder / "pre-none.gguf", Model(tokenizer="gpt2").blocks())
    for name in ["t5", "rwkv", "plamo2", "bert", "no-such"]:
        write(folder / f"tokenizer-{name}.gguf", Model(tokenizer=name).blocks())
    for name in [*sorted(TYPES), *REMOVED, "99"]:
        same = REMOVED.get(name, (0, name))[1]
        wide = gguf.GGML_QUANT_SIZES.get(gguf.GGMLQuantizationType.__members__.get(same), (1, 4))[0] > 32
        # The package has I8 and its like for other data than weights.
        if name not in ("I8", "I16", "I32", "I64", "F64", "Q8_K", "Q8_1"):
            write(folder / f"type-{name}.gguf", Model(width=256 if wide else 32, kind=name).blocks())
    base = Model().blocks()
    odd = {
        "version-1": plain(base, version=1), "version-2": plain(base, version=2), "version-4": plain(base, version=4),
        "big-endian": plain(base, order=">"), "plain": plain(base), "cut": plain(base, cut=5000),
        "key-twice": plain(base, again=["general.name"]), "tensor-twice": plain(base, tensors_again=["output.weight"]),
        "gap": plain(base, gap=32),
        "alignment-64": plain(Model(**{"general.alignment": 64}).blocks(), align=64),
        "alignment-24": plain(Model(**{"general.alignment": 24}).blocks(), align=24),
        "nested": plain(Model(**{"general.odd": Raw(struct.pack("<IIQIQB", 9, 9, 1, 0, 1, 7))}).blocks()),
    }
    for name, whole in odd.items():
        (folder / f"container-{name}.gguf").write_bytes(whole)
    for key in ["llama.context_length", "llama.block_count", "llama.attention.head_count", "llama.feed_forward_length",
                "llama.attention.layer_norm_rms_epsilon", "llama.rope.dimension_count", "tokenizer.ggml.model", "general.architecture"]:
        model = Model().blocks()
        model.without = {key}
        (folder / f"without-{key}.gguf").write_bytes(plain(model))
    split(folder)


def split(folder):
    """A model in two parts, one of which lacks its second, and one whose second part is named."""
    part = lambda number, count, all_of: {
        "split.no": Raw(struct.pack("<IH", 2, number)), "split.count": Raw(struct.pack("<IH", 2, count)),
        "split.tensors.count": Raw(struct.pack("<Ii", 5, all_of))}
    whole = Model().blocks()
    for stem, wrong in [("split-whole", 0), ("split-missing", 0), ("split-short", 1)]:
        half = len(whole.tensors) // 2
        first = Model(**part(0, 2, len(whole.tensors)))
        first.tensors = whole.tensors[:half]
        second = Model(**part(1, 2, len(whole.tensors)))
        second.tensors = whole.tensors[half:len(whole.tensors) - wrong]
        second.metadata = lambda one=second: one.keys
        (folder / f"{stem}-00001-of-00002.gguf").write_bytes(plain(first))
        if stem != "split-missing":
            (folder / f"{stem}-00002-of-00002.gguf").write_bytes(plain(second))


main(*sys.argv[1:])
