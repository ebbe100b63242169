"""What releases of tokenizers did with the files of a trial, as rows of the database.

    tokenizers_rows.py TRIAL VERSION=ANSWERS...    oldest release first; the answers are what tokenizers_read.py printed

prints for each row its definition and the releases, behind a tab:

    Fuse(decoder)                                 the releases that know the component
    decoder.CTC(field cleanup)                    those that read the field, where it can be seen
    pre_tokenizer.Split(value behavior=Removed)   a name that the format gives
    model.BPE(fails: merges=pairs)                the releases that do not load a file with it
    model.BPE(ids: ignore_merges=true)            those that load it and make other numbers than the newest release
    decoder.WordPiece(text: cleanup=true)         those that make another text of the same numbers

A condition is the smallest that explains what was seen: every file with it failed there.
"""

import itertools
import json
import os
import sys

from tokenizers_format import COMBINED, COMPONENTS, whole
from tokenizers_write import NAMED

KINDS = ("fails", "ids", "text")


def answers(path):
    with open(path) as lines:
        said = [json.loads(line) for line in lines if line.startswith('{"folder"')]
    return {os.path.basename(one["folder"].rstrip("/")): one for one in said}


def atoms(conditions):
    """What can explain: the vocabulary only shows the effect of other fields."""
    return frozenset(one for one in conditions if not one.startswith("vocab="))


def seen(tried, releases, said):
    """For each set of conditions: what is known of each release, by the kind of what went wrong."""
    newest = said[releases[-1]]
    found = {}
    for place, conditions in tried:
        name = "%04d" % place
        meant = newest[name]
        one = found.setdefault(atoms(conditions), {kind: {} for kind in KINDS})
        for release in releases:
            answer = said[release][name]
            failed = "error" in answer
            one["fails"][release] = one["fails"].get(release, False) or failed
            if failed or "error" in meant:
                continue
            for kind in ("ids", "text"):
                if answer[kind] is None or meant[kind] is None:
                    continue
                # What differs in numbers differs in what is made of them, too: said once.
                differs = answer[kind] != meant[kind]
                one[kind][release] = one[kind].get(release, False) or differs
    return found


def explained(found, condition, kind, releases):
    """The releases in which every file with this condition went wrong."""
    all_of = [one[kind] for key, one in found.items() if condition <= key]
    wrong = []
    for release in releases:
        known = [one[release] for one in all_of if release in one]
        if known and all(known):
            wrong.append(release)
    return wrong


def candidates(found, section, kind):
    every = sorted({atom for key in found for atom in key})
    yield frozenset()
    for atom in every:
        yield frozenset([atom])
    offered = set()
    for fields in COMBINED.get((section, kind), ()):
        joined = [atom for atom in every if atom.lstrip("-").split("=")[0] in fields]
        for size in (2, 3):
            for chosen in itertools.combinations(joined, size):
                if len({atom.lstrip("-").split("=")[0] for atom in chosen}) == size:
                    offered.add(frozenset(chosen))
    yield from sorted(offered, key=lambda one: (len(one), sorted(one)))


def rows(section, kind, tried, releases, said, others):
    found = seen(tried, releases, said)
    name = section + "." + kind if kind else section
    bad = {}
    for what in KINDS:
        # What went wrong and is not explained yet: a file and a release.
        left = {(key, one) for key, by_kind in found.items() for one, wrong in by_kind[what].items() if wrong}
        offered = {}
        for condition in candidates(found, section, kind):
            keys = [key for key in found if condition <= key]
            if keys:
                offered[condition] = (keys, explained(found, condition, what, releases))

        def explains(condition):
            keys, wrong = offered[condition]
            return [(key, one) for key in keys for one in wrong if (key, one) in left]

        while left and offered:
            # The shortest first, and of these what explains most.
            condition = min(offered, key=lambda one: (not explains(one), len(one), -len(explains(one)), sorted(one)))
            new = explains(condition)
            if not new:
                break
            wrong = [one for one in releases if any(release == one for _, release in new)]
            left.difference_update(new)
            del offered[condition]
            bad.setdefault((what, condition), set()).update(wrong)
            words = " & ".join(sorted(condition)) or "any"
            yield "%s(%s: %s)" % (name, what, words), wrong
        for key, one in sorted(left, key=str):
            print("not explained: %s %s %s %s" % (name, what, sorted(key), one), file=sys.stderr)
    any_field = frozenset()
    lost = set(bad.get(("fails", any_field), ()))
    # A release that loads what it does not know makes other numbers.
    other = {one for one in releases if said[one][others[section]].get("ids")} if section in others else set()
    lost.update(bad.get(("ids", any_field), set()) & other)
    knows = [one for one in releases if one not in lost]
    if kind == "Other":
        return
    if kind:
        yield "%s(%s)" % (kind, section), knows
    if section == "added_token":
        # What the reader of the file writes there.
        yield "added_token(value normalized=changed)", knows
    if section == "top":
        for field in whole():
            yield "top(field %s)" % field, knows
        yield "top(value version=1.0)", knows
    for field, values in COMPONENTS.get(section, {}).get(kind, {}).items():
        base = field + "="
        unread = set()
        for (_, condition), runs in bad.items():
            if any(atom.startswith(base) for atom in condition) and "+" not in condition:
                unread.update(runs)
        read = [one for one in knows if one not in unread] or knows
        yield "%s(field %s)" % (name, field), read
        if field in NAMED and field != "vocab":
            for value in values:
                if isinstance(value, str) and value != "Other" and " " not in value:
                    yield "%s(value %s=%s)" % (name, field, value), knows
                elif isinstance(value, dict):
                    yield "%s(value %s=%s)" % (name, field, next(iter(value))), knows


def main(trial, given):
    said, releases = {}, []
    for one in given:
        release, path = one.split("=", 1)
        releases.append(release)
        said[release] = answers(path)
    grouped = {}
    with open(os.path.join(trial, "trial.jsonl")) as lines:
        for line in lines:
            place, section, kind, conditions = json.loads(line)
            grouped.setdefault((section, kind), []).append((place, conditions))
    others = {section: "%04d" % tried[0][0] for (section, kind), tried in grouped.items() if kind == "Other"}
    for (section, kind), tried in grouped.items():
        for definition, wanted in rows(section, kind, tried, releases, said, others):
            print(definition + "\t" + " ".join(wanted))


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
