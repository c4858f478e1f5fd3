"""Makes the word lists of the identifier scrub from the packages that SOURCES.md beside them names.

    python tests/boards/curation/make_word_lists.py FOLDER

FOLDER holds `american-english-large` and `british-english-large` (Debian's wamerican-large and wbritish-large), the folder
`names` of the package names, the folder `faker` of the package Faker, and `civic.tsv`, `oncotree.json`, `companion_diagnostics.csv`.
Their sources stand in SOURCES.md beside the lists. The lists are sorted, each word without what it shares with the one before it, and
compressed; the same input gives the same bytes.
"""

from __future__ import annotations

import ast
import csv
import json
import lzma
import re
import sys
import unicodedata
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

LISTS = Path(__file__).parents[3] / "src/equipoise/boards/curation/identifiers/lists"
SURNAMES = 45_000
"""Surnames of the census that are taken, the most frequent first; the whole list goes on to 88,799."""


def plain(text: str) -> str:
    text = (
        text.replace("\u0131", "i")
        .replace("\u00f8", "o")
        .replace("\u0142", "l")
        .replace("\u00df", "ss")
        .replace("\u00e6", "ae")
    )
    text = (
        text.replace("\u0111", "d")
        .replace("\u00d8", "O")
        .replace("\u0141", "L")
        .replace("\u0110", "D")
        .replace("\u00f0", "d")
    )
    text = text.replace("\u00fe", "th").replace("\u0259", "e").replace("\u2019", "'")
    return "".join(c for c in unicodedata.normalize("NFKD", text) if not unicodedata.combining(c)).casefold()


def parts(names: Iterable[str]) -> set[str]:
    """The words of names in plain small letters, those of three letters and more."""
    return {word for name in names for word in re.split(r"[\s\-'.]+", plain(name)) if re.fullmatch(r"[a-z]{3,}", word)}


def faker_names(folder: Path) -> tuple[set[str], set[str]]:
    """Given names and surnames of all languages in Latin letters."""
    given: set[str] = set()
    surnames: set[str] = set()
    for file in sorted(folder.glob("providers/person/*/__init__.py")):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if not isinstance(node, ast.Assign) or not isinstance(node.targets[0], ast.Name):
                continue
            name = node.targets[0].id
            if not re.search(r"first_name|last_name|romanized", name) or "format" in name:
                continue
            words = [
                one.value
                for one in ast.walk(node.value)
                if isinstance(one, ast.Constant) and isinstance(one.value, str)
            ]
            (given if "first" in name else surnames).update(parts(words))
    return given, surnames


def census(file: Path, most: int) -> set[str]:
    lines = file.read_text(encoding="ascii").splitlines()[:most]
    return {word for line in lines if len(word := line.split()[0].lower()) > 2}


def medicine(folder: Path, english: set[str]) -> set[str]:
    """Words that stand in small letters in texts on cancer, and names of drugs and tumors."""
    count: Counter[str] = Counter()
    with (folder / "civic.tsv").open(encoding="utf-8") as handle:
        for row in csv.DictReader(handle, delimiter="\t"):
            count.update(set(re.findall(r"(?<![\w-])[a-z]{3,}(?![\w])", row["evidence_statement"])))
            for name in ("disease", "therapies", "phenotypes"):
                count.update(dict.fromkeys(re.findall(r"[a-z]{3,}", plain(row[name] or "")), 2))
    found = {word for word, times in count.items() if times > 1}
    for node in _nodes(json.loads((folder / "oncotree.json").read_text(encoding="utf-8"))):
        found.update(re.findall(r"[a-z]{3,}", plain(node)))
    found.update(
        re.findall(
            r"[a-z]{4,}", plain((folder / "companion_diagnostics.csv").read_text(encoding="utf-8", errors="replace"))
        )
    )
    return found - english


def _nodes(value: object) -> Iterable[str]:
    if isinstance(value, dict):
        if isinstance(value.get("name"), str):
            yield value["name"]
        for item in value.values():
            yield from _nodes(item)
    elif isinstance(value, list):
        for item in value:
            yield from _nodes(item)


def write(name: str, words: set[str]) -> None:
    out, before = [], ""
    for word in sorted(words):
        same = 0
        while same < min(len(before), len(word), 25) and before[same] == word[same]:
            same += 1
        out.append(chr(65 + same) + word[same:])
        before = word
    packed = lzma.compress("".join(out).encode("ascii"), preset=9 | lzma.PRESET_EXTREME)
    (LISTS / f"{name}.xz").write_bytes(packed)
    sys.stdout.write(f"{name}: {len(words)} words, {len(packed)} bytes\n")


def main() -> None:
    folder = Path(sys.argv[1])
    files = ("american-english-large", "british-english-large")
    listed = [word for file in files for word in (folder / file).read_text(encoding="utf-8").split()]
    english = {word for word in listed if re.fullmatch(r"[a-z]{3,}", word)}
    given, surnames = faker_names(folder / "faker")
    for file in ("dist.female.first", "dist.male.first"):
        given |= census(folder / "names" / file, 5_000)
    surnames |= census(folder / "names" / "dist.all.last", SURNAMES)
    words = medicine(folder, english)
    write("english", english)
    write("given", given)
    write("surnames", surnames)
    write("medicine", {word for word in words if word not in given | surnames})
    both = sorted(word for word in words if word in given | surnames)
    sys.stdout.write(f"medicine that is a name too, left out: {' '.join(both)}\n")


if __name__ == "__main__":
    main()
