"""Measures what other stores keep of deleted documents in their files. See README.md.

    python tools/residue/rivals/main.py [store ...]
"""

import collections
import importlib
import json
import pathlib
import random
import subprocess
import sys
import tempfile

DIMENSIONS = 384
SCAN = pathlib.Path(__file__).parent.parent / "main.mjs"
STORES = sorted(path.stem for path in (pathlib.Path(__file__).parent / "stores").glob("[a-z]*.py"))


class Documents:
    """The same documents for every store: each has a word, a sentence and a vector that nothing else has."""

    def __init__(self, count):
        chance = random.Random(16)
        self.words = ["".join(chance.choices("bcdfghjklmnpqrstvwxz", k=12)) for _ in range(count)]
        self.sentences = [f"The harbour master wrote {word} into the log." for word in self.words]
        self.texts = [f"Entry {n} of the archive. {sentence} No one read it." for n, sentence in enumerate(self.sentences)]
        self.vectors = [unit([chance.gauss(0, 1) for _ in range(DIMENSIONS)]) for _ in range(count)]
        self.deleted = list(range(0, count, 2))

    def all(self):
        return list(zip(range(len(self.texts)), self.texts, self.vectors))

    def secrets(self):
        """What to look for: of the deleted documents only."""
        return {
            "words": [self.words[n] for n in self.deleted],
            "sentences": [self.sentences[n] for n in self.deleted],
            "vectors": [json.dumps(self.vectors[n]) for n in self.deleted],
        }


def unit(vector):
    length = sum(x * x for x in vector) ** 0.5
    return [x / length for x in vector]


def found_in(folder, secrets):
    """How many of the secrets some file below the folder contains, and the files that contain most of them."""
    with tempfile.NamedTemporaryFile("w", suffix=".txt") as file:
        file.write("\n".join(secrets))
        file.flush()
        answer = subprocess.run(["node", SCAN, "--json", folder, file.name], capture_output=True, text=True)
    if answer.returncode > 1 or answer.stdout == "":
        raise SystemExit(answer.stderr)
    found = json.loads(answer.stdout)["found"]
    files = collections.Counter(path for paths in found.values() for path in paths)
    return len(found), [path for path, _ in files.most_common(3)]


def measure(name):
    store = importlib.import_module(f"stores.{name}")
    documents = Documents(getattr(store, "DOCUMENTS", 200))
    with tempfile.TemporaryDirectory() as folder:
        # The store is closed at each stage.
        for stage in store.stages(folder, documents):
            counts = {kind: found_in(folder, secrets) for kind, secrets in documents.secrets().items()}
            files = sorted({path for _, paths in counts.values() for path in paths})
            said = ", ".join(f"{count} {kind}" for kind, (count, _) in counts.items())
            print(f"{store.version()} | {stage} | {said} of {len(documents.deleted)} | {' '.join(files)}", flush=True)


for name in sys.argv[1:] or STORES:
    measure(name)
