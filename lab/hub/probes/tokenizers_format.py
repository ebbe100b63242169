"""The format of tokenizer.json as data: its components, their fields and the values to try; and models to try them with."""

import base64

#: A character map of SentencePiece in which nothing is mapped: a trie of 256 empty units, and one text.
EMPTY_MAP = base64.b64encode((1024).to_bytes(4, "little") + bytes(1024) + b"\0").decode()

#: Stands for a field that is left out.
MISSING = object()


def special(token, kind=0):
    return {"SpecialToken": {"id": token, "type_id": kind}}


def sequence(name, kind=0):
    return {"Sequence": {"id": name, "type_id": kind}}


SPECIALS = {
    "[CLS]": {"id": "[CLS]", "ids": [2], "tokens": ["[CLS]"]},
    "[SEP]": {"id": "[SEP]", "ids": [3], "tokens": ["[SEP]"]},
}
SINGLE = [special("[CLS]"), sequence("A"), special("[SEP]")]
PAIR = SINGLE + [sequence("B", 1), special("[SEP]", 1)]
TEMPLATE = {"type": "TemplateProcessing", "single": SINGLE, "pair": PAIR, "special_tokens": SPECIALS}
PATTERNS = [{"String": "l"}, {"Regex": "\\d"}, {"Regex": "[^\\s]+"}, {"String": " "}, {"Regex": "'s|'t|\\p{L}+|\\p{N}{1,3}|\\s+(?!\\S)|\\s+"}]
BEHAVIORS = ["Isolated", "Removed", "MergedWithPrevious", "MergedWithNext", "Contiguous", "Other"]

#: Every component with its fields; the first value of a field is what stands in the file where another field is tried.
COMPONENTS = {
    "normalizer": {
        "BertNormalizer": {
            "clean_text": [True, False],
            "handle_chinese_chars": [True, False],
            "strip_accents": [None, True, False],
            "lowercase": [True, False],
        },
        "ByteLevel": {},
        "Lowercase": {},
        "NFC": {},
        "NFD": {},
        "NFKC": {},
        "NFKD": {},
        "Nmt": {},
        "Precompiled": {"precompiled_charsmap": [EMPTY_MAP]},
        "Prepend": {"prepend": ["▁", "ab", ""]},
        "Replace": {"pattern": [{"String": "l"}, {"Regex": "[a-e]+"}, {"Regex": " {2,}"}, {"String": " "}], "content": ["L", "", "▁"]},
        "Sequence": {"normalizers": [[{"type": "NFD"}, {"type": "Lowercase"}], []]},
        "Strip": {"strip_left": [True, False], "strip_right": [True, False]},
        "StripAccents": {},
        "Other": {},
    },
    "pre_tokenizer": {
        "BertPreTokenizer": {},
        "ByteLevel": {"add_prefix_space": [True, False], "trim_offsets": [True, False], "use_regex": [True, False, MISSING]},
        "CharDelimiterSplit": {"delimiter": ["-", " "]},
        "Digits": {"individual_digits": [True, False]},
        "FixedLength": {"length": [3, 5]},
        "Metaspace": {
            "replacement": ["▁", "_"],
            "add_prefix_space": [True, False, MISSING],
            "prepend_scheme": [MISSING, "always", "never", "first", "Other"],
            "split": [MISSING, True, False],
            "str_rep": [MISSING, "▁"],
        },
        "Punctuation": {"behavior": BEHAVIORS + [MISSING]},
        "Sequence": {"pretokenizers": [[{"type": "CharDelimiterSplit", "delimiter": " "}, {"type": "CharDelimiterSplit", "delimiter": "-"}], []]},
        "Split": {"pattern": PATTERNS, "behavior": BEHAVIORS, "invert": [False, True]},
        "UnicodeScripts": {},
        "Whitespace": {},
        "WhitespaceSplit": {},
        "Other": {},
    },
    "post_processor": {
        "BertProcessing": {"sep": [["[SEP]", 3]], "cls": [["[CLS]", 2]]},
        "ByteLevel": {"add_prefix_space": [True, False], "trim_offsets": [True, False], "use_regex": [MISSING, True, False]},
        "RobertaProcessing": {
            "sep": [["</s>", 5]],
            "cls": [["<s>", 4]],
            "trim_offsets": [True, False],
            "add_prefix_space": [True, False],
        },
        "Sequence": {"processors": [[{"type": "ByteLevel", "add_prefix_space": True, "trim_offsets": True}], [TEMPLATE], [{"type": "ByteLevel", "add_prefix_space": True, "trim_offsets": True}, TEMPLATE], []]},
        "TemplateProcessing": {"single": [SINGLE, [sequence("A")]], "pair": [PAIR, [sequence("A"), sequence("B")]], "special_tokens": [SPECIALS]},
        "Other": {},
    },
    "decoder": {
        "BPEDecoder": {"suffix": ["</w>", ""]},
        "ByteFallback": {},
        "ByteLevel": {"add_prefix_space": [True, False], "trim_offsets": [True, False], "use_regex": [MISSING, True, False]},
        "CTC": {"pad_token": ["<pad>"], "word_delimiter_token": ["|"], "cleanup": [True, False]},
        "Fuse": {},
        "Replace": {"pattern": [{"String": "▁"}, {"Regex": "[a-e]"}], "content": [" ", ""]},
        "Sequence": {"decoders": [[{"type": "ByteLevel", "add_prefix_space": True, "trim_offsets": True}], []]},
        "Strip": {"content": [" ", "_"], "start": [1, 0], "stop": [0, 1]},
        "WordPiece": {"prefix": ["##", ""], "cleanup": [True, False]},
        "Other": {},
    },
    "model": {
        "BPE": {
            "dropout": [None, 0.0, 1.0],
            "unk_token": ["[UNK]", None],
            "continuing_subword_prefix": [None, ""],
            "end_of_word_suffix": [None, "</w>", ""],
            "fuse_unk": [False, True],
            "byte_fallback": [MISSING, False, True],
            "ignore_merges": [MISSING, False, True],
            "vocab": ["plain", "few"],
            "merges": ["texts", "pairs", "empty", "pairs with spaces"],
        },
        "WordPiece": {
            "unk_token": ["[UNK]"],
            "continuing_subword_prefix": ["##", "@@"],
            "max_input_chars_per_word": [100, 3],
            "vocab": ["plain"],
        },
        "WordLevel": {"vocab": ["plain"], "unk_token": ["[UNK]", None]},
        "Unigram": {"unk_id": [0, None, 5], "vocab": ["plain", "few"], "byte_fallback": [MISSING, False, True]},
        "Other": {},
    },
    "truncation": {
        "": {
            "max_length": [9, 4],
            "strategy": ["LongestFirst", "OnlyFirst", "OnlySecond", "Other"],
            "stride": [0, 1],
            "direction": [MISSING, "Right", "Left", "Other"],
        },
    },
    "padding": {
        "": {
            "strategy": [{"Fixed": 12}, "BatchLongest", "Other"],
            "direction": ["Right", "Left", "Other"],
            "pad_to_multiple_of": [None, 8, MISSING],
            "pad_id": [0, 3],
            "pad_type_id": [0, 1],
            "pad_token": ["[PAD]"],
        },
    },
    "added_token": {
        "": {
            "id": [1000],
            "content": ["<t>", "</t>", "Café"],
            "single_word": [False, True],
            "lstrip": [False, True],
            "rstrip": [False, True],
            "normalized": [False, True],
            "special": [True, False],
        },
    },
}
# A decoder of this name has the fields of the pre-tokenizer.
COMPONENTS["decoder"]["Metaspace"] = COMPONENTS["pre_tokenizer"]["Metaspace"]

#: Fields that depend on each other: every combination of the values of a group is tried.
COMBINED = {
    ("pre_tokenizer", "Metaspace"): [("add_prefix_space", "prepend_scheme", "split")],
    ("decoder", "Metaspace"): [("add_prefix_space", "prepend_scheme", "split")],
    ("decoder", "WordPiece"): [("prefix", "cleanup")],
    ("post_processor", "RobertaProcessing"): [("trim_offsets", "add_prefix_space")],
    ("model", "BPE"): [("byte_fallback", "ignore_merges", "merges", "vocab"), ("dropout", "unk_token", "merges")],
    ("model", "Unigram"): [("byte_fallback", "vocab")],
    ("added_token", ""): [("content", "single_word", "lstrip", "rstrip")],
}

#: What stands before the words that are made: it splits at spaces in every release in the same way.
SPACES = {"type": "CharDelimiterSplit", "delimiter": " "}

MERGES = [("h", "e"), ("l", "l"), ("he", "ll"), ("hell", "o"), ("w", "o"), ("r", "l"), ("wo", "rl"), ("worl", "d"), ("1", "2"), ("12", "3"), ("a", "b")]
WORDS = [
    "[UNK]", "[PAD]", "[CLS]", "[SEP]", "<s>", "</s>", "Hello", "hello", "world", "Ġworld", "▁Hello", "▁world", "##ing", "##s",
    "ab</w>", "c</w>", "<0xE2>", "<0x96>", "<0x81>", "<0x41>", "<pad>", "|", "H", "i", "'", "s", ".", ",", "don", "n't", "▁", " x ",
    "STOP", "12345", "it's", "two", "spaces", "and", "a", "b", "▁a", "[MASK]", "is", "北京", "e▁f", "__x",
]
#: Left out of a vocabulary that has few characters, so that what falls back is seen.
RARE = "ñ🙂北京zx"


def characters():
    others = "▁ĠĊ \t\n北京首都こんにちは\u0301\u0303\u0308\u0327ﬁ①\u200b\u00a0🙂"
    return list(dict.fromkeys([chr(i) for i in range(33, 127)] + [chr(i) for i in range(0xA1, 0x17F)] + list(others)))


def bpe_vocabulary(kind):
    words = ["[UNK]"] + [one for one in characters() if kind == "plain" or one not in RARE]
    words += [a + b for a, b in MERGES] + ["hello</w>", "abc", "o</w>", "d</w>", "a "]
    words += ["<0x%02X>" % byte for byte in range(256)]
    return {word: place for place, word in enumerate(dict.fromkeys(words))}


def merges(kind):
    pairs = [list(pair) for pair in MERGES]
    return {
        "texts": [" ".join(pair) for pair in MERGES],
        "pairs": pairs,
        "empty": [],
        "pairs with spaces": pairs + [["a", " "]],
    }[kind]


def model(kind, fields):
    """The model with its vocabulary in place of a word for it."""
    fields = dict(fields)
    if kind == "BPE":
        if "vocab" in fields:
            fields["vocab"] = bpe_vocabulary(fields["vocab"])
        if "merges" in fields:
            fields["merges"] = merges(fields["merges"])
    elif kind == "WordPiece" and "vocab" in fields:
        words = ["[UNK]"]
        for one in characters():
            words += [one, fields.get("continuing_subword_prefix", "##") + one]
        fields["vocab"] = {word: place for place, word in enumerate(words)}
    elif kind == "WordLevel" and "vocab" in fields:
        fields["vocab"] = {word: place for place, word in enumerate(WORDS)}
    elif kind == "Unigram" and "vocab" in fields:
        pieces = [("<unk>", 0.0), ("▁", -2.0), ("▁hello", -3.0), ("▁Hello", -3.1), ("▁world", -3.2), ("he", -4.0), ("ll", -4.5), ("lo", -4.6)]
        known = {piece for piece, _ in pieces}
        pieces += [(one, -6.0 - at / 100) for at, one in enumerate(characters()) if one not in known and (fields["vocab"] == "plain" or one not in RARE)]
        pieces += [("<0x%02X>" % byte, -20.0) for byte in range(256)]
        fields["vocab"] = [list(piece) for piece in pieces]
    return dict({"type": kind}, **fields)


def whole(**sections):
    """A tokenizer.json of these sections; the others are empty."""
    made = {"version": "1.0", "truncation": None, "padding": None, "added_tokens": [], "normalizer": None, "pre_tokenizer": None, "post_processor": None, "decoder": None, "model": None}
    made.update(sections)
    return made
