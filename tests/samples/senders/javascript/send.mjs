// One answer of a RAG application, by the OpenTelemetry SDK for Node and its stock exporters.
// node send.mjs <endpoint> json|protobuf none|gzip [milliseconds since the epoch, [key]]

import { context, SpanStatusCode, trace } from "@opentelemetry/api";
import { OTLPTraceExporter as JsonExporter } from "@opentelemetry/exporter-trace-otlp-http";
import { OTLPTraceExporter as ProtobufExporter } from "@opentelemetry/exporter-trace-otlp-proto";
import { resourceFromAttributes } from "@opentelemetry/resources";
import { BatchSpanProcessor, NodeTracerProvider } from "@opentelemetry/sdk-trace-node";

const [url, format, compression, at, key] = process.argv.slice(2);
const Exporter = { json: JsonExporter, protobuf: ProtobufExporter }[format];
const headers = key ? { Authorization: `Bearer ${key}` } : {};
const provider = new NodeTracerProvider({
  resource: resourceFromAttributes({ "service.name": "shop-js", "service.version": "2.1" }),
  spanProcessors: [new BatchSpanProcessor(new Exporter({ url, compression, headers }))],
});
const tracer = provider.getTracer("stock");
const began = at ? Number(at) : Date.UTC(2026, 10, 30, 2, 59);

const root = tracer.startSpan("ask", {
  startTime: began,
  attributes: {
    "ragvigil.answer.id": "answer-1",
    "openinference.span.kind": "CHAIN",
    "input.value": "Wie groß ist 🚀 Ägypten?",
    "output.value": "1,002,450 km²",
    "ragvigil.refusal": false,
    "ragvigil.confidence": 0.75,
    tags: ["a", "b"],
    count: 42,
  },
});
const inside = trace.setSpan(context.active(), root);
const search = tracer.startSpan("search", { startTime: began + 10, links: [{ context: root.spanContext() }] }, inside);
search.setAttributes({
  "openinference.span.kind": "RETRIEVER",
  "input.value": "Ägypten",
  "retrieval.documents.0.document.id": "doc-1",
  "retrieval.documents.0.document.score": 0.5,
  "retrieval.documents.1.document.id": "doc-2",
  "retrieval.documents.1.document.score": 0.25,
});
search.addEvent("asked", { shards: 3 }, began + 15);
search.end(began + 60);
const complete = tracer.startSpan("complete", { startTime: began + 70 }, inside);
complete.setAttributes({ "openinference.span.kind": "LLM", "gen_ai.usage.input_tokens": 900 });
complete.setStatus({ code: SpanStatusCode.ERROR, message: "cut off" });
complete.end(began + 240);
root.end(began + 250);
await provider.shutdown();
