"""Loads files tokenizer.json with the tokenizers of this interpreter, and asks each.

    tokenizers_read.py load FOLDER...            for each FOLDER/tokenizer.json a line of JSON
    tokenizers_read.py rewrite FROM TO [...]     loads FROM/tokenizer.json and writes TO/tokenizer.json as this release writes it

A line has the folder and either `error`, or `ids` and `text`: what the sentences become, and what lists of numbers become. What
differs when it is asked twice is null: merges are dropped by chance there.
"""

import json
import os
import sys

from tokenizers import Tokenizer

SENTENCES = [
    "Hello world", "  two  spaces and\ttab\n", "don't STOP 12345 it's naïve Café", "abc123 def-ghi, (x) [y]!?", "北京 is 首都 こんにちは", "",
    "hello", " hello <t> there</t>[MASK]x </t>.", "a▁b ▁c Ġd", "A\u0301e\u0301 ﬁ ① \u200b\u00a0x", "zzz 🙂 ñ", "abc hello " + "w" * 30,
]
NUMBERS = [
    list(range(46)), [10, 11, 12, 13, 7, 9], [14, 15], [16, 17, 18, 19], [22, 20, 23, 21, 22, 22], [8, 24, 25, 26, 27],
    [28, 29, 30, 31, 38, 39, 40], [4, 7, 60, 5], [16, 17], [44, 45], [10], [40, 31],
    list(range(0, 330, 7)),
]


def tried(act):
    try:
        return act()
    except BaseException as error:
        return type(error).__name__


def ids(one):
    found = []
    for sentence in SENTENCES:
        found.append(tried(lambda: one.encode(sentence).ids))
    found.append(tried(lambda: one.encode(SENTENCES[0], SENTENCES[2]).ids))
    found.append(tried(lambda: one.encode(SENTENCES[0], SENTENCES[2]).type_ids))
    found.append(tried(lambda: [each.ids for each in one.encode_batch(SENTENCES[:3])]))
    found.append(tried(lambda: one.encode(SENTENCES[3], add_special_tokens=False).ids))
    return found


def text(one):
    found = []
    # Added tokens come behind the vocabulary.
    size = one.get_vocab_size(with_added_tokens=False)
    for numbers in NUMBERS + [[size, 7, size + 1, size + 2]]:
        for skipped in (True, False):
            found.append(tried(lambda: one.decode(numbers, skip_special_tokens=skipped)))
    return found


def load(folders):
    for folder in folders:
        said = {"folder": folder}
        try:
            one = Tokenizer.from_file(os.path.join(folder, "tokenizer.json"))
            first = ids(one)
            said["ids"] = first if first == ids(one) else None
            said["text"] = text(one)
        except BaseException as error:
            said["error"] = str(error)[:300]
        # Releases print warnings to the same place, and end their lines or not.
        print("\n" + json.dumps(said), flush=True)


def rewrite(pairs):
    for source, target in zip(pairs[::2], pairs[1::2]):
        try:
            one = Tokenizer.from_file(os.path.join(source, "tokenizer.json"))
            written = one.to_str()
        except BaseException:
            continue
        os.makedirs(target, exist_ok=True)
        with open(os.path.join(target, "tokenizer.json"), "w") as file:
            file.write(written)


if __name__ == "__main__":
    {"load": load, "rewrite": rewrite}[sys.argv[1]](sys.argv[2:])
