"""
One engine on one corpus, in a process of its own: builds an index, asks every query, and prints one line of JSON.

  python engines.py <folder> <engine>

The folder is written by main.mjs: texts.json, queries.json (texts in order), vectors.f32 and queries.f32 (rows of float32).
An index of a few texts is built first, and every query is asked once, both without being measured; then every query is asked ROUNDS times.
Results are the places of texts in texts.json, best first.
"""
import json
import os
import re
import sys
import tempfile
import time
from pathlib import Path

K = 10
ROUNDS = 3
BATCH = 1000
WARM_UP = 50


def texts_of(folder, name):
    return json.loads((folder / f'{name}.json').read_text())


def vectors_of(folder, name, rows):
    import numpy
    return numpy.fromfile(folder / f'{name}.f32', dtype=numpy.float32).reshape(rows, -1)


def bm25s_engine(texts, _vectors, _scratch):
    import bm25s
    import Stemmer
    stemmer = Stemmer.Stemmer('english')
    retriever = bm25s.BM25(method='lucene', k1=1.2, b=0.75, backend='numba')
    retriever.index(bm25s.tokenize(texts, stopwords='en', stemmer=stemmer, show_progress=False), show_progress=False)

    def search(query, _vector):
        tokens = bm25s.tokenize([query], stopwords='en', stemmer=stemmer, show_progress=False)
        found, scores = retriever.retrieve(tokens, k=min(K, len(texts)), n_threads=1, show_progress=False)
        return [int(at) for at, score in zip(found[0], scores[0]) if score > 0]

    return search


def bm25s_tokens(texts, _vectors, _scratch):
    """Words as they are. Queries are asked in one call, which costs less for each than asking them alone."""
    import bm25s
    retriever = bm25s.BM25(method='lucene', k1=1.2, b=0.75, backend='numba')
    retriever.index([text.split() for text in texts], show_progress=False)

    def search_all(queries):
        found, scores = retriever.retrieve([query.split() for query in queries], k=min(K, len(texts)), n_threads=1, show_progress=False)
        return [[int(at) for at, score in zip(*one) if score > 0] for one in zip(found, scores)]

    def search(query, _vector):
        return search_all([query])[0]

    search.all = search_all
    return search


def tantivy_tokens(texts, _vectors, scratch):
    """Words as they are, and queries without a parser."""
    import tantivy
    builder = tantivy.SchemaBuilder()
    builder.add_text_field('text', stored=False, tokenizer_name='whitespace', index_option='freq')
    builder.add_integer_field('at', stored=True)
    schema = builder.build()
    index = tantivy.Index(schema, path=scratch)
    writer = index.writer(heap_size=128_000_000, num_threads=1)
    for at, text in enumerate(texts):
        writer.add_document(tantivy.Document(text=text, at=at))
    writer.commit()
    writer.wait_merging_threads()
    index.reload()
    searcher = index.searcher()

    def search(query, _vector):
        words = [(tantivy.Occur.Should, tantivy.Query.term_query(schema, 'text', word, 'freq')) for word in query.split()]
        return [searcher.doc(address)['at'][0] for _score, address in searcher.search(tantivy.Query.boolean_query(words), K).hits]

    return search


def tantivy_engine(texts, _vectors, scratch):
    import tantivy
    builder = tantivy.SchemaBuilder()
    builder.add_text_field('text', stored=False, tokenizer_name='en_stem')
    builder.add_integer_field('at', stored=True)
    index = tantivy.Index(builder.build(), path=scratch)
    writer = index.writer(heap_size=128_000_000, num_threads=1)
    for at, text in enumerate(texts):
        writer.add_document(tantivy.Document(text=text, at=at))
    writer.commit()
    writer.wait_merging_threads()
    index.reload()
    searcher = index.searcher()

    def search(query, _vector):
        words = re.sub(r'\W+', ' ', query).lower()
        parsed, _errors = index.parse_query_lenient(words, ['text'])
        return [searcher.doc(address)['at'][0] for _score, address in searcher.search(parsed, K).hits]

    return search


def usearch_engine(exact):
    def build(_texts, vectors, _scratch):
        import numpy
        from usearch.index import Index
        index = Index(ndim=vectors.shape[1], metric='cos', dtype='f32' if exact else 'f16', connectivity=16, expansion_add=128,
                      expansion_search=64)
        index.add(numpy.arange(len(vectors)), vectors, threads=1)
        return lambda _query, vector: [int(key) for key in index.search(vector, K, threads=1, exact=exact).keys]

    return build


def usearch_filtered(oversampling):
    """One text of a hundred may be a result. The graph has no filter: it is asked for more, and the others are dropped."""
    def build(_texts, vectors, _scratch):
        import numpy
        from usearch.index import Index
        index = Index(ndim=vectors.shape[1], metric='cos', dtype='f16', connectivity=16, expansion_add=128, expansion_search=64)
        index.add(numpy.arange(len(vectors)), vectors, threads=1)

        def search(_query, vector):
            keys = index.search(vector, min(oversampling, len(vectors)), threads=1).keys
            return [int(key) for key in keys[keys % 100 == 0][:K]]

        return search

    return build


def chroma_engine(texts, vectors, scratch):
    import chromadb
    client = chromadb.PersistentClient(path=scratch, settings=chromadb.Settings(anonymized_telemetry=False))
    hnsw = {'space': 'cosine', 'ef_construction': 100, 'max_neighbors': 16, 'ef_search': 100, 'num_threads': 1}
    collection = client.create_collection('rivals', configuration={'hnsw': hnsw}, embedding_function=None)
    for start in range(0, len(vectors), BATCH):
        part = vectors[start:start + BATCH]
        collection.add(ids=[str(start + at) for at in range(len(part))], embeddings=part)

    def search(_query, vector):
        return [int(at) for at in collection.query(query_embeddings=[vector], n_results=min(K, len(vectors)), include=[])['ids'][0]]

    return search


def lancedb_table(scratch, rows):
    import lancedb
    return lancedb.connect(scratch).create_table('rivals', data=rows)


def lancedb_vectors(_texts, vectors, scratch):
    table = lancedb_table(scratch, [{'at': at, 'vector': vector} for at, vector in enumerate(vectors)])
    return lambda _query, vector: table.search(vector).distance_type('cosine').limit(K).select(['at', '_distance']).to_arrow()['at'].to_pylist()


def lancedb_words(texts, _vectors, scratch):
    table = lancedb_table(scratch, [{'at': at, 'text': text} for at, text in enumerate(texts)])
    table.create_fts_index('text', language='English', stem=True, remove_stop_words=True)

    def search(query, _vector):
        words = re.sub(r'\W+', ' ', query)
        return table.search(words, query_type='fts').limit(K).select(['at', '_score']).to_arrow()['at'].to_pylist()

    return search


def qdrant_engine(_texts, vectors, _scratch):
    from qdrant_client import QdrantClient, models
    client = QdrantClient(':memory:')
    client.create_collection('rivals', vectors_config=models.VectorParams(size=vectors.shape[1], distance=models.Distance.COSINE))
    for start in range(0, len(vectors), BATCH):
        part = vectors[start:start + BATCH]
        points = [models.PointStruct(id=start + at, vector=vector.tolist()) for at, vector in enumerate(part)]
        client.upsert('rivals', points)
    return lambda _query, vector: [point.id for point in client.query_points('rivals', query=vector, limit=K, with_payload=False).points]


ENGINES = {
    'bm25s': bm25s_engine,
    'tantivy': tantivy_engine,
    'bm25s-tokens': bm25s_tokens,
    'tantivy-tokens': tantivy_tokens,
    'lancedb-words': lancedb_words,
    'usearch': usearch_engine(exact=False),
    'usearch-exact': usearch_engine(exact=True),
    'usearch-filtered-1000': usearch_filtered(1000),
    'usearch-filtered-4000': usearch_filtered(4000),
    'usearch-filtered-16000': usearch_filtered(16000),
    'chroma': chroma_engine,
    'lancedb': lancedb_vectors,
    'qdrant': qdrant_engine,
}


def peak_mb():
    """Not that of getrusage, which begins with the memory of the process that started this one."""
    return int(re.search(r'VmHWM:\s+(\d+) kB', Path('/proc/self/status').read_text())[1]) / 1024


def main(folder, name):
    texts, queries = texts_of(folder, 'texts'), texts_of(folder, 'queries')
    vectors, asked = vectors_of(folder, 'vectors', len(texts)), vectors_of(folder, 'queries', len(queries))
    with tempfile.TemporaryDirectory() as scratch, tempfile.TemporaryDirectory() as first:
        # Imports and compilers are no part of the time of an index.
        ENGINES[name](texts[:WARM_UP], vectors[:WARM_UP], first)(queries[0], asked[0])
        began, cpu = time.perf_counter(), time.process_time()
        search = ENGINES[name](texts, vectors, scratch)
        build = {'wallMs': (time.perf_counter() - began) * 1000, 'cpuMs': (time.process_time() - cpu) * 1000}
        found = [search(query, vector) for query, vector in zip(queries, asked)]
        times = []
        cpu = time.process_time()
        for _ in range(ROUNDS):
            if hasattr(search, 'all'):
                began = time.perf_counter()
                search.all(queries)
                times += [(time.perf_counter() - began) * 1000 / len(queries)] * len(queries)
                continue
            for query, vector in zip(queries, asked):
                began = time.perf_counter()
                search(query, vector)
                times.append((time.perf_counter() - began) * 1000)
        cpu_ms = (time.process_time() - cpu) * 1000 / len(times)
        print(json.dumps({'build': build, 'times': times, 'cpuMs': cpu_ms, 'peakMb': peak_mb(), 'found': found}), flush=True)


main(Path(sys.argv[1]), sys.argv[2])
# LanceDB leaves threads behind that keep the process.
os._exit(0)
