"""pylethe, a memory for agents that is "built to forget"."""

import gc
import importlib.metadata
import sys

import pysqlite3

# As in most builds of Python: the SQLite of Debian overwrites what is deleted.
sys.modules["sqlite3"] = pysqlite3

from cryptography.hazmat.primitives import serialization  # noqa: E402
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey  # noqa: E402
from lethe import Lethe  # noqa: E402


def version():
    return f"pylethe {importlib.metadata.version('pylethe')} (SQLite {pysqlite3.sqlite_version})"


def stages(folder, documents):
    vectors = dict(zip(documents.texts, documents.vectors))
    raw = (serialization.Encoding.Raw, serialization.PrivateFormat.Raw, serialization.NoEncryption())
    signing_key = Ed25519PrivateKey.generate().private_bytes(*raw)

    def opened():
        dimensions = len(documents.vectors[0])
        return Lethe(f"{folder}/memory.db", vector_dim=dimensions, embedder=vectors.__getitem__, signing_key=signing_key)

    memory = opened()
    ids = memory.inscribe_many(documents.texts)
    memory.close()
    yield "before"
    memory = opened()
    memory.purge_with_receipt([ids[n] for n in documents.deleted])
    memory.close()
    gc.collect()
    yield "after purge_with_receipt, which signs a receipt"
    memory = opened()
    memory.conn.execute("vacuum")
    memory.close()
    yield "after vacuum by hand (it has no call for it)"
