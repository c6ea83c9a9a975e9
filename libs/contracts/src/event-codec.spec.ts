import { z } from 'zod';
import { embeddingVersion, embeddingVersionOf } from '@palimpsest/knowledge';
import type { EmbeddingVersion, Event, JsonObject, Position, RecordedEvent, StreamName } from '@palimpsest/knowledge';
import { EventCodec, UnreadableEvent, type Upcaster } from './event-codec.ts';

/** How `KnowledgeChunkIndexed` could have grown: model and width apart, then one version, then a chunk of a known language. */
type ChunkIndexed = Event<'KnowledgeChunkIndexed', { chunkId: string; embeddingVersion: EmbeddingVersion; language: string }>;

const modelToVersion: Upcaster = ({ model, dimensions, ...rest }) => ({
  ...rest,
  embeddingVersion: embeddingVersionOf({ provider: 'onnx', model: String(model), dimensions: Number(dimensions) }),
});
const withoutLanguage: Upcaster = (data) => ({ ...data, language: 'und' });

const codec = new EventCodec<ChunkIndexed>({
  KnowledgeChunkIndexed: {
    schema: z.object({ chunkId: z.string(), embeddingVersion: z.string().transform((raw) => embeddingVersion(raw)), language: z.string() }),
    upcasters: [modelToVersion, withoutLanguage],
  },
});

const onTheLog = (schemaVersion: unknown, data: JsonObject, type = 'KnowledgeChunkIndexed'): RecordedEvent => ({
  type, data, id: 'e1', stream: 'document-acme-a' as StreamName, revision: 0, position: 7n as Position, recordedAt: '2026-01-01T00:00:00Z',
  metadata: { tenant: 'acme', actor: 'test', correlationId: 'r1', schemaVersion: schemaVersion as number },
});
const v1 = { chunkId: 'c1', model: 'all-minilm-l6-v2-int8', dimensions: 384 };
const v2 = { chunkId: 'c1', embeddingVersion: 'onnx:all-minilm-l6-v2-int8/384' };
const v3 = { ...v2, language: 'und' };

describe('An event codec', () => {
  it('brings every older version up to the current one', () => {
    for (const [version, data] of [[1, v1], [2, v2], [3, v3]] as const) expect(codec.decode(onTheLog(version, data)).event.data).toEqual(v3);
  });
  it('writes the current version', () => {
    const event: ChunkIndexed = { type: 'KnowledgeChunkIndexed', data: { ...v3, embeddingVersion: embeddingVersion(v3.embeddingVersion) } };
    const { metadata } = codec.decode(onTheLog(3, v3));
    expect(codec.encode(event, metadata, 'e1').metadata).toMatchObject({ schemaVersion: 3, tenant: 'acme' });
  });
  it('refuses a version that is newer than this program', () =>
    expect(() => codec.decode(onTheLog(4, v3))).toThrow('KnowledgeChunkIndexed at position 7: schema version 4, this program reads 1 to 3'));
  it('refuses a missing version rather than guess', () => expect(() => codec.decode(onTheLog(undefined, v3))).toThrow(UnreadableEvent));
  it('refuses a type it does not know, also one that every object has', () => {
    expect(() => codec.decode(onTheLog(1, v1, 'Mystery'))).toThrow('event Mystery at position 7: unknown type');
    expect(() => codec.decode(onTheLog(1, v1, 'toString'))).toThrow('unknown type');
  });
  it('names the field that an upcast event lacks', () => expect(() => codec.decode(onTheLog(2, { chunkId: 'c1' }))).toThrow(/embeddingVersion/));
});
