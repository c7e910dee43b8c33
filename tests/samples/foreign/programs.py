"""Small RAG programs as people write them, without a line about telemetry. Each needs only some of the packages."""

from typing import Any, Final

QUESTION: Final = "How do I parse a date?"
TEXTS: Final = {
    "doc-1": "strptime parses a date by its format.",
    "doc-2": "isoformat writes a date.",
    "doc-3": "json.loads parses JSON.",
}
LANGUAGES: Final = {"doc-1": "en", "doc-2": "en", "doc-3": "en"}
PROMPT: Final = "Answer from the context.\nContext: {context}\nQuestion: {question}"
CHAT, EMBEDDING = "gpt-4o-mini", "text-embedding-3-small"


def langchain_chroma(base_url: str) -> None:
    """A chain over an embedded Chroma, asked once whole and once streamed."""
    from langchain_chroma import Chroma
    from langchain_core.output_parsers import StrOutputParser
    from langchain_core.prompts import ChatPromptTemplate
    from langchain_core.runnables import RunnablePassthrough
    from langchain_openai import ChatOpenAI, OpenAIEmbeddings

    embedding = OpenAIEmbeddings(model=EMBEDDING, base_url=base_url, api_key="none", check_embedding_ctx_length=False)
    store = Chroma("docs", embedding_function=embedding)
    store.add_texts(list(TEXTS.values()), [{"lang": lang} for lang in LANGUAGES.values()], list(TEXTS))
    model = ChatOpenAI(model=CHAT, base_url=base_url, api_key="none", stream_usage=True)
    found = store.as_retriever(search_kwargs={"k": 2, "filter": {"lang": "en"}})
    context = found | (lambda documents: "\n".join(each.page_content for each in documents))
    asked = {"context": context, "question": RunnablePassthrough()}
    chain = asked | ChatPromptTemplate.from_template(PROMPT) | model | StrOutputParser()
    settings: Any = {"metadata": {"session_id": "session-1", "user_id": "user-1"}}
    chain.invoke(QUESTION, settings)
    list(chain.stream(QUESTION, settings))


def langchain_memory(base_url: str) -> None:
    """A chain over LangChain's store in memory."""
    from langchain_core.output_parsers import StrOutputParser
    from langchain_core.prompts import ChatPromptTemplate
    from langchain_core.runnables import RunnablePassthrough
    from langchain_core.vectorstores import InMemoryVectorStore
    from langchain_openai import ChatOpenAI, OpenAIEmbeddings

    embedding = OpenAIEmbeddings(model=EMBEDDING, base_url=base_url, api_key="none", check_embedding_ctx_length=False)
    store = InMemoryVectorStore(embedding)
    store.add_texts(list(TEXTS.values()), ids=list(TEXTS))
    model = ChatOpenAI(model=CHAT, base_url=base_url, api_key="none", stream_usage=True)
    asked = {"context": store.as_retriever(search_kwargs={"k": 2}), "question": RunnablePassthrough()}
    chain = asked | ChatPromptTemplate.from_template(PROMPT) | model | StrOutputParser()
    chain.invoke(QUESTION)
    list(chain.stream(QUESTION))


def llamaindex(base_url: str) -> None:
    """A query engine with a reranker, asked once whole and once streamed."""
    from llama_index.core import Settings, VectorStoreIndex
    from llama_index.core.postprocessor import SimilarityPostprocessor
    from llama_index.core.schema import TextNode
    from llama_index.embeddings.openai import OpenAIEmbedding
    from llama_index.llms.openai import OpenAI

    Settings.llm = OpenAI(model=CHAT, api_base=base_url, api_key="none")
    Settings.embed_model = OpenAIEmbedding(model=EMBEDDING, api_base=base_url, api_key="none")
    nodes = [TextNode(id_=name, text=text) for name, text in TEXTS.items()]
    index = VectorStoreIndex(nodes)
    reranking: Any = [SimilarityPostprocessor(similarity_cutoff=0.0)]
    index.as_query_engine(similarity_top_k=2, node_postprocessors=reranking).query(QUESTION)
    answer: Any = index.as_query_engine(similarity_top_k=2, streaming=True).query(QUESTION)
    list(answer.response_gen)


def openai_alone(base_url: str) -> None:
    """Embedding and chat calls below a span of the program's own, then a chat call on its own, streamed."""
    from openai import OpenAI
    from opentelemetry import trace

    client = OpenAI(base_url=base_url, api_key="none")
    with trace.get_tracer("shop.web").start_as_current_span("POST /ask", kind=trace.SpanKind.SERVER):
        client.embeddings.create(model=EMBEDDING, input=QUESTION)
        messages: Any = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": QUESTION}]
        client.chat.completions.create(model=CHAT, messages=messages)
    list(
        client.chat.completions.create(
            model=CHAT, messages=messages, stream=True, stream_options={"include_usage": True}
        )
    )
    client.embeddings.create(model=EMBEDDING, input=list(TEXTS.values()))


def openai_qdrant(base_url: str) -> None:
    """Embedding, a filtered search of a local Qdrant and a chat call below one workflow of OpenLLMetry."""
    from openai import OpenAI
    from opentelemetry import trace
    from qdrant_client import QdrantClient, models

    client, store = OpenAI(base_url=base_url, api_key="none"), QdrantClient(":memory:")
    store.create_collection("docs", models.VectorParams(size=8, distance=models.Distance.COSINE))
    found = client.embeddings.create(model=EMBEDDING, input=list(TEXTS.values())).data
    points = [models.PointStruct(id=each.index, vector=each.embedding, payload={"lang": "en"}) for each in found]
    store.upsert("docs", points)
    only = models.Filter(must=[models.FieldCondition(key="lang", match=models.MatchValue(value="en"))])
    with trace.get_tracer("shop.web").start_as_current_span("POST /ask", kind=trace.SpanKind.SERVER):
        vector = client.embeddings.create(model=EMBEDDING, input=QUESTION).data[0].embedding
        store.query_points("docs", vector, query_filter=only, limit=2)
        messages: Any = [{"role": "user", "content": QUESTION}]
        client.chat.completions.create(model=CHAT, messages=messages)
