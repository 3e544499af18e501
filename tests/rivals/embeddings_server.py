#!/usr/bin/env python3
"""A server with OpenAI's protocol for embeddings: the static vectors that the package wordllama ships (32,000 words, 256 dimensions).

    embeddings_server.py        prints its base URL
"""

import json
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.util import find_spec
from pathlib import Path

import numpy
from safetensors.numpy import load_file
from tokenizers import Tokenizer

# Its module loads more than is needed here.
PACKAGE = Path(find_spec("wordllama").origin).parent
MOST = 512
vectors = load_file(PACKAGE / "weights/l2_supercat_256.safetensors")["embedding.weight"].astype(numpy.float32)
tokenizer = Tokenizer.from_file(str(PACKAGE / "tokenizers/l2_supercat_tokenizer_config.json"))
tokenizer.no_truncation()
tokenizer.no_padding()


def embed(texts):
    """The mean of the vectors of each text's parts of words."""
    read = tokenizer.encode_batch([text if text.strip() else "?" for text in texts], add_special_tokens=False)
    return [vectors[one.ids[:MOST]].mean(0).tolist() for one in read]


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    # Otherwise head and body wait for each other.
    wbufsize = -1
    disable_nagle_algorithm = True

    def do_POST(self):
        asked = json.loads(self.rfile.read(int(self.headers["content-length"])))
        texts = asked["input"] if isinstance(asked["input"], list) else [asked["input"]]
        data = [{"object": "embedding", "index": at, "embedding": it} for at, it in enumerate(embed(texts))]
        body = json.dumps({"object": "list", "model": asked["model"], "data": data}).encode()
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


if __name__ == "__main__":
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    print(f"http://127.0.0.1:{server.server_address[1]}/v1", flush=True)
    server.serve_forever()
