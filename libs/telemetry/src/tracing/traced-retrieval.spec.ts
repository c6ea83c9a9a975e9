import { SpanStatusCode } from '@opentelemetry/api';
import { InMemorySpanExporter, NodeTracerProvider, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-node';
import { Unavailable } from '@palimpsest/knowledge/errors';
import { chunkId, documentId, embeddingVersion } from '@palimpsest/knowledge/values';
import { inSpan } from './spans.ts';
import { tracedRetrieval } from './traced-retrieval.ts';

const [FIRST, SECOND] = ['1'.repeat(32), '2'.repeat(32)];
const SEEN = {
  id: 'retrieval-1',
  strategy: 'DenseSparseHybrid' as const,
  topK: 5,
  queryLength: 9,
  models: [embeddingVersion('spec:any/16')],
  hits: [
    { chunkId: chunkId(FIRST), documentId: documentId('a'.repeat(32)), score: 0.75 },
    { chunkId: chunkId(SECOND), documentId: documentId('b'.repeat(32)), score: 0.5 },
  ],
  stages: [],
  skipped: {},
  texts: { query: 'warranty?', hits: ['two years', 'thirty days'] },
};
const exporter = new InMemorySpanExporter();

describe('The span of a search', () => {
  beforeAll(() => new NodeTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] }).register());
  beforeEach(() => exporter.reset());

  const spanOf = async (texts: boolean) => {
    expect(
      await tracedRetrieval({ texts })(
        async () => 'found',
        () => SEEN,
      ),
    ).toBe('found');
    return exporter.getFinishedSpans()[0];
  };

  it('has the attributes of both conventions, with ids and scores in the order of the hits', async () => {
    const span = await spanOf(false);
    expect(span?.name).toBe('retrieval');
    expect(span?.attributes).toEqual({
      'gen_ai.operation.name': 'retrieval',
      'gen_ai.retrieval.top_k': 5,
      'gen_ai.retrieval.documents': `[{"id":"${FIRST}","score":0.75},{"id":"${SECOND}","score":0.5}]`,
      'openinference.span.kind': 'RETRIEVER',
      'retrieval.documents.0.document.id': FIRST,
      'retrieval.documents.0.document.score': 0.75,
      'retrieval.documents.0.document.metadata': `{"documentId":"${'a'.repeat(32)}"}`,
      'retrieval.documents.1.document.id': SECOND,
      'retrieval.documents.1.document.score': 0.5,
      'retrieval.documents.1.document.metadata': `{"documentId":"${'b'.repeat(32)}"}`,
      'palimpsest.retrieval.id': 'retrieval-1',
      'palimpsest.retrieval.strategy': 'DenseSparseHybrid',
      'palimpsest.query.length': 9,
      'palimpsest.embedding.versions': ['spec:any/16'],
    });
  });

  it('has texts only if the operator and the tenant want that', async () => {
    expect((await spanOf(true))?.attributes).toMatchObject({
      'gen_ai.retrieval.query.text': 'warranty?',
      'input.value': 'warranty?',
      'input.mime_type': 'text/plain',
      'retrieval.documents.0.document.content': 'two years',
      'retrieval.documents.1.document.content': 'thirty days',
    });
    exporter.reset();
    const { texts: _, ...withoutTexts } = SEEN;
    await tracedRetrieval({ texts: true })(
      async () => 'found',
      () => withoutTexts,
    );
    expect(JSON.stringify(exporter.getFinishedSpans()[0]?.attributes)).not.toContain('two years');
  });

  it('has the first 25 hits as attributes of their own, so that none is dropped', async () => {
    const hits = Array.from({ length: 100 }, (_, i) => ({ ...SEEN.hits[0]!, score: 1 - i / 100 }));
    const texts = { query: 'warranty?', hits: hits.map((_, i) => `text ${i}`) };
    await tracedRetrieval({ texts: true })(
      async () => 'found',
      () => ({ ...SEEN, hits, texts }),
    );
    const span = exporter.getFinishedSpans()[0];
    expect(span?.droppedAttributesCount).toBe(0);
    expect(JSON.parse(String(span?.attributes['gen_ai.retrieval.documents']))).toHaveLength(100);
    const contents = Object.entries(span?.attributes ?? {}).filter(([name]) => name.endsWith('.content'));
    expect(contents.map(([, text]) => text)).toEqual(texts.hits.slice(0, 25));
    expect(span?.attributes).toMatchObject({ 'input.value': 'warranty?' });
  });

  it('contains what the search does, and is marked if the search fails, without the message', async () => {
    const failing = tracedRetrieval({ texts: true })(
      () => inSpan('embed', {}, () => Promise.reject(new Unavailable('no model for "warranty?"'))),
      () => SEEN,
    );
    await expect(failing).rejects.toThrow('no model');
    const [embed, retrieval] = exporter.getFinishedSpans();
    expect(embed?.parentSpanContext?.spanId).toBe(retrieval?.spanContext().spanId);
    expect(retrieval).toMatchObject({
      name: 'retrieval',
      status: { code: SpanStatusCode.ERROR },
      attributes: { 'error.type': 'Unavailable' },
    });
    expect(JSON.stringify([retrieval?.attributes, retrieval?.events, retrieval?.status])).not.toContain('warranty');
  });
});
