from datetime import timedelta

import lancedb


def version():
    return f"LanceDB {lancedb.__version__}"


def stages(folder, documents):
    rows = [{"id": n, "text": text, "vector": vector} for n, text, vector in documents.all()]
    lancedb.connect(folder).create_table("documents", rows)
    yield "before"
    table = lancedb.connect(folder).open_table("documents")
    table.delete(f"id in ({', '.join(str(n) for n in documents.deleted)})")
    yield "after table.delete"
    table = lancedb.connect(folder).open_table("documents")
    table.optimize()
    yield "after optimize()"
    table = lancedb.connect(folder).open_table("documents")
    table.optimize(cleanup_older_than=timedelta(0), delete_unverified=True)
    yield "after optimize(cleanup_older_than=0, delete_unverified=True), which also ends time travel"
