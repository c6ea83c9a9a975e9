import faiss
import numpy


def version():
    return f"FAISS {faiss.__version__}, IndexIDMap of IndexFlatIP (vectors only)"


def stages(folder, documents):
    path = f"{folder}/vectors.faiss"
    index = faiss.IndexIDMap(faiss.IndexFlatIP(len(documents.vectors[0])))
    index.add_with_ids(numpy.array(documents.vectors, dtype=numpy.float32), numpy.arange(len(documents.vectors)))
    faiss.write_index(index, path)
    yield "before"
    index = faiss.read_index(path)
    index.remove_ids(numpy.array(documents.deleted))
    faiss.write_index(index, path)
    yield "after remove_ids and write_index"
