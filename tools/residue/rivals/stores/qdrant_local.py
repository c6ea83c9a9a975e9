"""The local mode of Qdrant's client for Python, which is not its server: everything is in one SQLite file."""

import importlib.metadata

from qdrant_client import QdrantClient, models


def version():
    return f"qdrant-client {importlib.metadata.version('qdrant-client')}, local mode"


def stages(folder, documents):
    client = QdrantClient(path=folder)
    client.create_collection("documents", models.VectorParams(size=len(documents.vectors[0]), distance=models.Distance.COSINE))
    client.upsert("documents", [models.PointStruct(id=n, vector=vector, payload={"text": text}) for n, text, vector in documents.all()])
    client.close()
    yield "before"
    client = QdrantClient(path=folder)
    client.delete("documents", models.PointIdsList(points=documents.deleted))
    client.close()
    yield "after delete (it has no compaction)"
