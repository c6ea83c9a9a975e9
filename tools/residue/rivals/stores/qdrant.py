"""The storage engine of Qdrant without its server, as Qdrant publishes it for Python."""

import importlib.metadata

import qdrant_edge as edge


def version():
    return f"Qdrant Edge {importlib.metadata.version('qdrant-edge-py')}"


def stages(folder, documents):
    vectors = edge.EdgeVectorParams(size=len(documents.vectors[0]), distance=edge.Distance.Cosine)
    path = f"{folder}/shard"
    shard = edge.EdgeShard.create(path, edge.EdgeConfig(vectors=vectors))
    points = [edge.Point(n, vector, {"text": text}) for n, text, vector in documents.all()]
    shard.update(edge.UpdateOperation.upsert_points(points))
    shard.close()
    yield "before"
    shard = edge.EdgeShard.load(path)
    shard.update(edge.UpdateOperation.delete_points(documents.deleted))
    shard.flush()
    shard.close()
    yield "after delete_points"
    shard = edge.EdgeShard.load(path)
    shard.optimize()
    shard.close()
    yield "after optimize() with the defaults (vacuum from 1,000 vectors)"
    # The smallest segment that its vacuum accepts; the server has the same setting.
    always = edge.EdgeOptimizersConfig(vacuum_min_vector_number=100, deleted_threshold=0.1)
    shard = edge.EdgeShard.load(path, edge.EdgeConfig(vectors=vectors, optimizers=always))
    shard.optimize()
    shard.close()
    yield "after optimize() with vacuum_min_vector_number=100"
