import duckdb


def version():
    return f"DuckDB {duckdb.__version__}"


def stages(folder, documents):
    path = f"{folder}/documents.duckdb"
    db = duckdb.connect(path)
    db.execute(f"create table documents (id integer, text varchar, vector float[{len(documents.vectors[0])}])")
    db.executemany("insert into documents values (?, ?, ?)", [list(row) for row in documents.all()])
    db.close()
    yield "before"
    db = duckdb.connect(path)
    db.execute(f"delete from documents where id in ({', '.join(str(n) for n in documents.deleted)})")
    db.close()
    yield "after delete"
    db = duckdb.connect(path)
    db.execute("vacuum")
    db.execute("checkpoint")
    db.close()
    yield "after vacuum and checkpoint"
