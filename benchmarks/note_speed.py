"""How many notes a second one core reads, by style, how long one note of 5 MB takes, and the functions that take the time.

Run: python benchmarks/note_speed.py [profile].
"""

from __future__ import annotations

import cProfile
import pstats
import sys
import time

from equipoise.benchmarks.openmtb.generator.drafts import draw_draft
from equipoise.benchmarks.openmtb.generator.draw import Draw
from equipoise.benchmarks.openmtb.generator.notes import STYLES, write_note
from equipoise.benchmarks.openmtb.generator.table import PLANS
from equipoise.cases.narrative.reader import read_note

COUNT = 200
CHATTER = (
    "He lives with his daughter in a ground-floor flat and walks the dog every morning.",
    "On examination the chest was clear and there was no palpable lymphadenopathy in the neck.",
    "He worked as a carpenter for thirty years and retired two years ago.",
    "Appetite is good and the weight has been steady over the last three months.",
    "We spoke at length about what to expect over the coming weeks, and there were many good questions.",
    "Bloods taken on arrival were unremarkable, with normal renal and liver function.",
    "The specialist nurse has handed over the contact details and the information leaflets.",
    "There is no chest pain, fever, night sweats or change in bowel habit.",
    "Blood pressure was 132/78 and oxygen saturation 97% on room air.",
    "I have asked the practice to go on with the usual tablets for blood pressure and cholesterol.",
)


def notes(style: str, *, padded: bool, count: int = COUNT) -> list[str]:
    """Notes of one style, as they are or with paragraphs that say nothing for the board (1 to 2 kB in all)."""
    draw = Draw(f"speed {style}")
    found = []
    for place in range(count):
        note = write_note(draw_draft(draw.pick(PLANS), draw), style, place)
        found.append(f"{note}\n{' '.join(draw.shuffled(CHATTER))}\n" if padded else note)
    return found


def long_note(size: int, *, padded: bool) -> str:
    """One note of a size in bytes: generated notes of every style, none of them twice, as a record of many visits."""
    parts: list[str] = []
    per_style = size // len(STYLES)
    for style in STYLES:
        count = per_style // (1200 if padded else 300)
        parts.extend(notes(style, padded=padded, count=count))
    return "\n\n".join(Draw("visits").shuffled(parts))[:size]


def rate(texts: list[str]) -> float:
    """Notes a second of processor time, the best of three runs."""
    best = float("inf")
    for _ in range(3):
        start = time.process_time()
        for text in texts:
            read_note(text)
        best = min(best, time.process_time() - start)
    return len(texts) / best


def main() -> None:
    for style in STYLES:
        for padded in (False, True):
            texts = notes(style, padded=padded)
            size = sum(map(len, texts)) / len(texts)
            print(f"{style:10} {size:6.0f} characters  {rate(texts):7.0f} notes/s")
    for padded, words in (
        (True, "with paragraphs that say nothing for the board"),
        (False, "dense, every line a fact"),
    ):
        for size in (1_250_000, 5_000_000):
            text = long_note(size, padded=padded)
            start = time.process_time()
            read_note(text)
            print(f"one note of {len(text) / 1e6:.2f} MB, {words}: {time.process_time() - start:.1f} s")
    if len(sys.argv) > 1:
        profile = cProfile.Profile()
        texts = notes("letter", padded=True)
        profile.enable()
        for text in texts:
            read_note(text)
        profile.disable()
        pstats.Stats(profile).sort_stats("tottime").print_stats(20)


if __name__ == "__main__":
    main()
