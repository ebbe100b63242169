"""Makes files tokenizer.json of every component of the format.

    tokenizers_write.py trial OUT             one for each value of each field of each component
    tokenizers_write.py drawn OUT SEED COUNT  COUNT of components that are drawn, with fields that are drawn

writes OUT/NUMBER/tokenizer.json; of a trial also OUT/trial.jsonl with what is tried by each: the section, the component, and
for each field its value, as `condition` names it.
"""

import itertools
import json
import os
import random
import sys

from tokenizers_format import COMBINED, COMPONENTS, MISSING, SPACES, model, whole

#: Fields whose texts are names that the format gives.
NAMED = ("behavior", "prepend_scheme", "strategy", "direction", "vocab", "merges")


def condition(field, value):
    """A value of a field in the words of the database."""
    if value is MISSING:
        return "-" + field
    if isinstance(value, bool) or value is None:
        return field + "=" + json.dumps(value)
    if isinstance(value, str):
        if field in NAMED:
            return field + "=" + value.split(" with ")[0]
        return field + "=" + ("text" if value else "empty")
    if isinstance(value, dict):
        return field + "=" + (next(iter(value)) if len(value) == 1 else "object")
    if isinstance(value, list):
        return field + "=" + ("list" if value else "empty")
    return field + "=" + ("0" if value == 0 else "number")


def file(section, kind, fields):
    """The file that has this component, with a model in which its effect shows."""
    given = {key: value for key, value in fields.items() if value is not MISSING}
    if section == "model":
        return whole(model=model(kind, given), pre_tokenizer=SPACES)
    words = "WordLevel" if section in ("decoder", "post_processor") else "WordPiece"
    chosen = {"vocab": "plain", "unk_token": "[UNK]"}
    if words == "WordPiece":
        chosen.update(continuing_subword_prefix="##", max_input_chars_per_word=100)
    made = whole(model=model(words, chosen), pre_tokenizer=SPACES)
    if section == "added_token":
        made["added_tokens"] = [given]
    elif section == "top":
        made.update(given)
    elif section in ("truncation", "padding"):
        made[section] = given
    else:
        made[section] = dict({"type": kind}, **given)
    return made


def tries(section, kind, values):
    """Every choice of values that is tried: one field after the other, and fields that depend on each other together."""
    base = {field: one[0] for field, one in values.items()}
    yield base
    for field, choices in values.items():
        for value in choices[1:] + [MISSING]:
            yield dict(base, **{field: value})
    yield dict(base, unknown=1)
    for combined in COMBINED.get((section, kind), ()):
        for chosen in itertools.product(*[values[field] for field in combined]):
            yield dict(base, **dict(zip(combined, chosen)))


def trial(out):
    made = []
    for section, kinds in COMPONENTS.items():
        for kind, values in kinds.items():
            for fields in tries(section, kind, values):
                conditions = sorted({condition(*one) for one in fields.items() if one[0] != "unknown"})
                if "unknown" in fields:
                    conditions.append("+")
                made.append((section, kind, conditions, file(section, kind, fields)))
    # A token that the normalizer changes, in a file with one.
    for content, normalized, is_special in itertools.product(("Café", "<t>"), (False, True), (False, True)):
        one = {"id": 1000, "content": content, "single_word": False, "lstrip": False, "rstrip": False, "normalized": normalized, "special": is_special}
        changed = "normalized=" + ("changed" if normalized and content == "Café" else json.dumps(normalized))
        conditions = [changed, "special=" + json.dumps(is_special)]
        made.append(("added_token", "", conditions, dict(file("added_token", "", one), normalizer={"type": "Lowercase"})))
    full = file("added_token", "", {key: value[0] for key, value in COMPONENTS["added_token"][""].items()})
    for key in full:
        made.append(("top", "", ["-" + key], {other: value for other, value in full.items() if other != key}))
    made.append(("top", "", ["+"], dict(full, unknown=1)))
    made.append(("top", "", ["version=Other"], dict(full, version="2.0")))
    with open(os.path.join(out, "trial.jsonl"), "w") as lines:
        for place, (section, kind, conditions, text) in enumerate(made):
            write(out, place, text)
            lines.write(json.dumps([place, section, kind, conditions]) + "\n")


def write(out, place, text):
    folder = os.path.join(out, "%04d" % place)
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, "tokenizer.json"), "w") as file:
        json.dump(text, file, ensure_ascii=False, indent=2 if place % 2 else None)


def draw(chance, section, kind, depth=0):
    """A component whose fields are drawn; what no release reads is left out mostly."""
    values = COMPONENTS[section][kind]
    fields = {}
    for field, choices in values.items():
        value = choices[0] if chance.random() < 0.5 else chance.choice(choices)
        if value == "Other" and chance.random() < 0.9:
            value = choices[0]
        if value is not MISSING:
            fields[field] = value
    if section == "model":
        return model(kind, fields)
    inner = {"normalizers": "normalizer", "pretokenizers": "pre_tokenizer", "processors": "post_processor", "decoders": "decoder"}
    for field, member in inner.items():
        if field in fields:
            count = chance.randrange(0, 4) if depth == 0 else 1
            fields[field] = [draw(chance, member, drawn_kind(chance, member, depth), depth + 1) for _ in range(count)]
    return dict({"type": kind}, **fields) if kind else fields


def drawn_kind(chance, section, depth=0):
    kinds = [kind for kind in COMPONENTS[section] if kind != "Other" and (depth < 2 or kind != "Sequence")]
    return "Other" if chance.random() < 0.01 else chance.choice(kinds)


def drawn(out, seed, count):
    chance = random.Random(seed)
    for place in range(count):
        kind = drawn_kind(chance, "model")
        made = whole(model=draw(chance, "model", kind))
        for section in ("normalizer", "pre_tokenizer", "post_processor", "decoder"):
            if chance.random() < 0.6:
                made[section] = draw(chance, section, drawn_kind(chance, section))
        for section in ("truncation", "padding"):
            if chance.random() < 0.2:
                made[section] = draw(chance, section, "")
        for at in range(chance.choice((0, 0, 1, 3))):
            made["added_tokens"].append(dict(draw(chance, "added_token", ""), id=1000 + at, content=("<t>", "</t>", "Café")[at]))
        write(out, place, made)


if __name__ == "__main__":
    os.makedirs(sys.argv[2], exist_ok=True)
    if sys.argv[1] == "trial":
        trial(sys.argv[2])
    else:
        drawn(sys.argv[2], int(sys.argv[3]), int(sys.argv[4]))
