import importlib.metadata

from pymilvus import MilvusClient


def version():
    return f"Milvus Lite {importlib.metadata.version('milvus-lite')}"


def stages(folder, documents):
    path = f"{folder}/milvus.db"

    def close(client):
        client.close()
        from milvus_lite.server_manager import server_manager_instance

        server_manager_instance.release_all()

    client = MilvusClient(path)
    client.create_collection("documents", dimension=len(documents.vectors[0]))
    client.insert("documents", [{"id": n, "text": text, "vector": vector} for n, text, vector in documents.all()])
    client.flush("documents")
    close(client)
    yield "before"
    client = MilvusClient(path)
    client.delete("documents", ids=documents.deleted)
    client.flush("documents")
    close(client)
    yield "after delete"
    client = MilvusClient(path)
    client.compact("documents")
    close(client)
    yield "after compact"
