"""sqlite-vec with the texts in FTS5, as its documentation combines them."""

import importlib.metadata

# The SQLite of Debian overwrites what is deleted; most builds of Python come without that.
import pysqlite3 as sqlite3
import sqlite_vec


def version():
    return f"sqlite-vec {importlib.metadata.version('sqlite-vec')} with FTS5 (SQLite {sqlite3.sqlite_version})"


def stages(folder, documents):
    def opened():
        db = sqlite3.connect(f"{folder}/documents.db")
        db.enable_load_extension(True)
        sqlite_vec.load(db)
        return db

    db = opened()
    db.execute(f"create virtual table vectors using vec0(embedding float[{len(documents.vectors[0])}])")
    db.execute("create virtual table texts using fts5(text)")
    for n, text, vector in documents.all():
        db.execute("insert into vectors(rowid, embedding) values (?, ?)", (n + 1, sqlite_vec.serialize_float32(vector)))
        db.execute("insert into texts(rowid, text) values (?, ?)", (n + 1, text))
    db.commit()
    db.close()
    yield "before"
    db = opened()
    for n in documents.deleted:
        db.execute("delete from vectors where rowid = ?", (n + 1,))
        db.execute("delete from texts where rowid = ?", (n + 1,))
    db.commit()
    db.close()
    yield "after delete"
    db = opened()
    db.execute("vacuum")
    db.close()
    yield "after vacuum"
    db = opened()
    db.execute("insert into texts(texts) values ('optimize')")
    db.commit()
    db.execute("vacuum")
    db.close()
    yield "after optimize of FTS5 and vacuum"
