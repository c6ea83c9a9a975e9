import importlib.metadata

import numpy
from usearch.index import Index


def version():
    return f"USearch {importlib.metadata.version('usearch')} (vectors only)"


def stages(folder, documents):
    path = f"{folder}/vectors.usearch"
    index = Index(ndim=len(documents.vectors[0]), metric="cos", dtype="f32")
    index.add(numpy.arange(len(documents.vectors)), numpy.array(documents.vectors, dtype=numpy.float32))
    index.save(path)
    yield "before"
    index = Index.restore(path)
    index.remove(numpy.array(documents.deleted))
    index.save(path)
    yield "after remove and save"
    index = Index.restore(path)
    index.remove(numpy.array(documents.deleted), compact=True)
    index.save(path)
    yield "after remove with compact=True and save"
