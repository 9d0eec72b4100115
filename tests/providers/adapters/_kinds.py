"""How each adapter is filled with the corpus: in the real package, embedded, without a network."""

from ._corpus import CHUNKS, WIDTH, document_of, embed


def langchain(app, tmp_path, required, texts=CHUNKS, **store):
    core = required("langchain_core")
    embeddings = required("langchain_core.embeddings")
    stores = required("langchain_core.vectorstores")
    documents = required("langchain_core.documents")

    class WordEmbeddings(embeddings.Embeddings):
        def embed_query(self, text):
            return embed(text)

        def embed_documents(self, texts):
            return [embed(text) for text in texts]

    app.store = stores.InMemoryVectorStore(WordEmbeddings())
    app.store.add_documents(
        [documents.Document(text, id=chunk, metadata={"doc_id": document_of(chunk)}) for chunk, text in texts.items()]
    )
    app.retriever = app.store.as_retriever()
    assert core
    return "langchain(retriever='adapters_app:retriever'{})"


def langchain_store(app, tmp_path, required, texts=CHUNKS):
    langchain(app, tmp_path, required, texts)
    return "langchain(retriever='adapters_app:store'{})"


def llamaindex(app, tmp_path, required, texts=CHUNKS):
    core = required("llama_index.core")
    schema = required("llama_index.core.schema")
    embeddings = required("llama_index.core.embeddings")

    class WordEmbedding(embeddings.BaseEmbedding):
        def _get_query_embedding(self, query):
            return embed(query)

        def _get_text_embedding(self, text):
            return embed(text)

        async def _aget_query_embedding(self, query):
            return embed(query)

    def node(chunk, text):
        found = schema.TextNode(id_=chunk, text=text)
        found.relationships[schema.NodeRelationship.SOURCE] = schema.RelatedNodeInfo(node_id=document_of(chunk))
        return found

    app.index = core.VectorStoreIndex(
        [node(chunk, text) for chunk, text in texts.items()], embed_model=WordEmbedding(), transformations=[]
    )
    app.retriever = app.index.as_retriever()
    return "llamaindex(retriever='adapters_app:retriever'{})"


def llamaindex_index(app, tmp_path, required, texts=CHUNKS):
    llamaindex(app, tmp_path, required, texts)
    return "llamaindex(retriever='adapters_app:index'{})"


def haystack(app, tmp_path, required, texts=CHUNKS):
    package = required("haystack")
    stores = required("haystack.document_stores.in_memory")
    retrievers = required("haystack.components.retrievers.in_memory")
    app.document_store = stores.InMemoryDocumentStore(embedding_similarity_function="cosine")
    app.document_store.write_documents(
        [
            package.Document(id=chunk, content=text, meta={"source_id": document_of(chunk)}, embedding=embed(text))
            for chunk, text in texts.items()
        ]
    )

    @package.component
    class WordEmbedder:
        @package.component.output_types(embedding=list[float])
        def run(self, text: str):
            return {"embedding": embed(text)}

    app.retriever = retrievers.InMemoryEmbeddingRetriever(app.document_store)
    app.pipeline = package.Pipeline()
    app.pipeline.add_component("embedder", WordEmbedder())
    app.pipeline.add_component("retriever", retrievers.InMemoryEmbeddingRetriever(app.document_store))
    app.pipeline.connect("embedder.embedding", "retriever.query_embedding")
    return "haystack(pipeline='adapters_app:pipeline'{})"


def haystack_component(app, tmp_path, required, texts=CHUNKS):
    haystack(app, tmp_path, required, texts)
    return "haystack(pipeline='adapters_app:retriever', embed='adapters_app:embed'{})"


def chroma(app, tmp_path, required, texts=CHUNKS):
    chromadb = required("chromadb")
    folder = tmp_path / "chroma"
    client = chromadb.PersistentClient(str(folder), settings=chromadb.Settings(anonymized_telemetry=False))
    app.collection = client.create_collection("docs", embedding_function=None, configuration={"hnsw": {"space": "cosine"}})
    if texts:
        app.collection.add(
            ids=list(texts),
            embeddings=[embed(text) for text in texts.values()],
            documents=list(texts.values()),
            metadatas=[{"doc_id": document_of(chunk)} for chunk in texts],
        )
    return f"chroma(path='{folder}', collection=docs, embed='adapters_app:embed'{{}})"


def chroma_object(app, tmp_path, required, texts=CHUNKS):
    chroma(app, tmp_path, required, texts)
    return "chroma(python='adapters_app:collection', embed='adapters_app:embed'{})"


def qdrant(app, tmp_path, required, texts=CHUNKS, distance="COSINE"):
    package = required("qdrant_client")
    folder = tmp_path / "qdrant"
    client = package.QdrantClient(path=str(folder))
    fill_qdrant(client, package.models, texts, distance)
    client.close()
    return f"qdrant(path='{folder}', collection=docs, embed='adapters_app:embed'{{}})"


def qdrant_object(app, tmp_path, required, texts=CHUNKS):
    package = required("qdrant_client")
    app.client = package.QdrantClient(":memory:")
    fill_qdrant(app.client, package.models, texts)
    return "qdrant(python='adapters_app:client', collection=docs, embed='adapters_app:embed'{})"


def fill_qdrant(client, models, texts, distance="COSINE"):
    vectors = models.VectorParams(size=WIDTH, distance=models.Distance[distance])
    client.create_collection("docs", vectors_config=vectors)
    points = [
        models.PointStruct(
            id=place,
            vector=embed(text),
            payload={"page_content": text, "metadata": {"chunk_id": chunk, "doc_id": document_of(chunk)}},
        )
        for place, (chunk, text) in enumerate(texts.items())
    ]
    if points:
        client.upsert("docs", points)


def lancedb(app, tmp_path, required, texts=CHUNKS):
    package, pyarrow = required("lancedb"), required("pyarrow")
    folder = tmp_path / "lance"
    columns = {"chunk_id": pyarrow.string(), "doc_id": pyarrow.string(), "text": pyarrow.string()}
    schema = pyarrow.schema({**columns, "vector": pyarrow.list_(pyarrow.float32(), WIDTH)})
    rows = [
        {"chunk_id": chunk, "doc_id": document_of(chunk), "text": text, "vector": embed(text)}
        for chunk, text in texts.items()
    ]
    app.table = package.connect(str(folder)).create_table("docs", rows or None, schema=schema)
    return f"lancedb(path='{folder}', table=docs, embed='adapters_app:embed', distance=cosine{{}})"


def lancedb_object(app, tmp_path, required, texts=CHUNKS):
    lancedb(app, tmp_path, required, texts)
    return "lancedb(python='adapters_app:table', embed='adapters_app:embed', distance=cosine{})"


def fill_postgres(connection, texts=CHUNKS, kind="vector", table="docs"):
    connection.execute(f"DROP TABLE IF EXISTS {table} CASCADE")
    connection.execute(f"CREATE TABLE {table} (id text PRIMARY KEY, content text, meta jsonb, embedding {kind}({WIDTH}))")
    for chunk, text in texts.items():
        about = f'{{"doc_id": "{document_of(chunk)}", "group": "{chunk[1]}"}}'
        connection.execute(f"INSERT INTO {table} VALUES (%s, %s, %s, %s)", (chunk, text, about, str(embed(text))))


KINDS = {
    one.__name__: one
    for one in (
        *(langchain, langchain_store, llamaindex, llamaindex_index, haystack, haystack_component),
        *(chroma, chroma_object, qdrant, qdrant_object, lancedb, lancedb_object),
    )
}
