"""What Palimpsest's services write to Qdrant: vectors, and the titles, sources and labels for filters; no texts. Enough for its vacuum."""

import importlib.metadata
import json

import qdrant_edge as edge

DOCUMENTS = 2_000


def version():
    return f"Qdrant Edge {importlib.metadata.version('qdrant-edge-py')}, {DOCUMENTS} points as Palimpsest writes them"


def payload(n, title):
    attributes = {"documentId": f"{n:032x}", "title": title}
    has = [json.dumps(token) for name, value in attributes.items() for token in ([name], [name, value])]
    return {"partition": "acme/team:people/1", "chunk": f"{n:032x}", "attributes": json.dumps(attributes), "has": has, "at_low": n}


def stages(folder, documents):
    path = f"{folder}/shard"
    vectors = edge.EdgeVectorParams(size=len(documents.vectors[0]), distance=edge.Distance.Cosine)
    shard = edge.EdgeShard.create(path, edge.EdgeConfig(vectors=vectors))
    for field in ("partition", "has"):
        shard.update(edge.UpdateOperation.create_field_index(field, edge.PayloadSchemaType.Keyword))
    points = [edge.Point(n, vector, payload(n, documents.sentences[n])) for n, _, vector in documents.all()]
    shard.update(edge.UpdateOperation.upsert_points(points))
    shard.close()
    yield "before"
    shard = edge.EdgeShard.load(path)
    shard.update(edge.UpdateOperation.delete_points(documents.deleted))
    shard.flush()
    shard.close()
    yield "after delete"
    shard = edge.EdgeShard.load(path)
    shard.optimize()
    shard.close()
    yield "after optimize() with the defaults"
    # New writes, until the write-ahead log of the deleted points is removed.
    shard = edge.EdgeShard.load(path)
    kept = [vector for n, _, vector in documents.all() if n not in documents.deleted]
    for at in range(100):
        more = [edge.Point(10**6 + at * 1_000 + n, vector, {"at_low": n}) for n, vector in enumerate(kept)]
        shard.update(edge.UpdateOperation.upsert_points(more))
        shard.flush()
    shard.optimize()
    shard.close()
    yield "after 100,000 more points"
