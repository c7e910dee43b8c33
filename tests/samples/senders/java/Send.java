// One answer of a RAG application, by the OpenTelemetry SDK for Java and its stock exporter.
// java -cp <jars> Send.java <endpoint> none|gzip

import static io.opentelemetry.api.common.AttributeKey.booleanKey;
import static io.opentelemetry.api.common.AttributeKey.doubleKey;
import static io.opentelemetry.api.common.AttributeKey.longKey;
import static io.opentelemetry.api.common.AttributeKey.stringArrayKey;
import static io.opentelemetry.api.common.AttributeKey.stringKey;

import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanBuilder;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.api.trace.Tracer;
import io.opentelemetry.context.Context;
import io.opentelemetry.exporter.otlp.http.trace.OtlpHttpSpanExporter;
import io.opentelemetry.sdk.resources.Resource;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import io.opentelemetry.sdk.trace.export.BatchSpanProcessor;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.TimeUnit;

public final class Send {
  private static final Instant BEGAN = Instant.parse("2026-11-30T02:59:00Z");

  public static void main(String[] arguments) {
    var exporter = OtlpHttpSpanExporter.builder().setEndpoint(arguments[0]).setCompression(arguments[1]).build();
    var resource = Attributes.of(stringKey("service.name"), "shop-java", stringKey("service.version"), "2.1");
    try (var provider = SdkTracerProvider.builder()
        .setResource(Resource.getDefault().merge(Resource.create(resource)))
        .addSpanProcessor(BatchSpanProcessor.builder(exporter).build())
        .build()) {
      answer(provider.get("stock"));
      provider.forceFlush().join(10, TimeUnit.SECONDS);
    }
  }

  private static void answer(Tracer tracer) {
    Span root = begun(tracer.spanBuilder("ask"), 0)
        .setAttribute("ragvigil.answer.id", "answer-1")
        .setAttribute("openinference.span.kind", "CHAIN")
        .setAttribute("input.value", "Wie groß ist 🚀 Ägypten?")
        .setAttribute("output.value", "1,002,450 km²")
        .setAttribute(booleanKey("ragvigil.refusal"), false)
        .setAttribute(doubleKey("ragvigil.confidence"), 0.75)
        .setAttribute(stringArrayKey("tags"), List.of("a", "b"))
        .setAttribute(longKey("count"), 42L);
    Context inside = Context.root().with(root);
    Span search = begun(tracer.spanBuilder("search").setParent(inside).addLink(root.getSpanContext()), 10)
        .setAttribute("openinference.span.kind", "RETRIEVER")
        .setAttribute("input.value", "Ägypten")
        .setAttribute("retrieval.documents.0.document.id", "doc-1")
        .setAttribute("retrieval.documents.0.document.score", 0.5)
        .setAttribute("retrieval.documents.1.document.id", "doc-2")
        .setAttribute("retrieval.documents.1.document.score", 0.25);
    search.addEvent("asked", Attributes.of(longKey("shards"), 3L), BEGAN.plusMillis(15));
    search.end(BEGAN.plusMillis(60));
    Span complete = begun(tracer.spanBuilder("complete").setParent(inside), 70)
        .setAttribute("openinference.span.kind", "LLM")
        .setAttribute(longKey("gen_ai.usage.input_tokens"), 900L)
        .setStatus(StatusCode.ERROR, "cut off");
    complete.end(BEGAN.plusMillis(240));
    root.end(BEGAN.plusMillis(250));
  }

  private static Span begun(SpanBuilder builder, long afterMs) {
    return builder.setStartTimestamp(BEGAN.plusMillis(afterMs)).startSpan();
  }
}
