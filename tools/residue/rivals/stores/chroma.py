import gc
import subprocess
import sys

import chromadb


def version():
    return f"Chroma {chromadb.__version__}"


def stages(folder, documents):
    def opened():
        client = chromadb.PersistentClient(folder, chromadb.Settings(anonymized_telemetry=False))
        return client, client.get_or_create_collection("documents", embedding_function=None)

    def close(client):
        client._system.stop()
        client.clear_system_cache()
        gc.collect()

    client, collection = opened()
    for n, text, vector in documents.all():
        collection.add(ids=[str(n)], documents=[text], embeddings=[vector])
    close(client)
    yield "before"
    client, collection = opened()
    collection.delete(ids=[str(n) for n in documents.deleted])
    close(client)
    yield "after collection.delete"
    command = [f"{sys.prefix}/bin/chroma", "vacuum", "--path", folder, "--force"]
    subprocess.run(command, check=True, capture_output=True)
    yield "after chroma vacuum --force"
