import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { Corrupt } from '@palimpsest/knowledge/errors';
import type { Event } from '@palimpsest/knowledge/events';
import { streamName, type JsonObject, type NewEvent, type RecordedEvent } from '@palimpsest/knowledge/ports';
import type { ChunkId, EmbeddingVersion, Position } from '@palimpsest/knowledge/values';
import { EventCodec, UnreadableEvent, type Upcaster } from './event-codec.ts';
import { wire } from './schemas/values.ts';

// Three versions of a type: version 1 had one provider and no token count; version 2 combined provider, model and dimensions in
// `embeddingVersion`; version 3, the current one, adds the token count.
type Indexed = Event<'KnowledgeChunkIndexed', { chunkId: ChunkId; text: string; embeddingVersion: EmbeddingVersion; tokens: number }>;
type Deleted = Event<'DocumentDeleted', { reason: string }>;

const oneEmbeddingVersion: Upcaster = ({ model, dimensions, ...data }) => ({
  ...data,
  embeddingVersion: `onnx:${String(model)}/${String(dimensions)}`,
});
const countedTokens: Upcaster = (data) => ({ ...data, tokens: String(data['text']).split(' ').length });

const codec = new EventCodec<Indexed | Deleted>({
  KnowledgeChunkIndexed: {
    schema: z.object({ chunkId: wire.chunkId, text: z.string(), embeddingVersion: wire.embeddingVersion, tokens: wire.count }),
    upcasters: [oneEmbeddingVersion, countedTokens],
  },
  DocumentDeleted: { schema: z.object({ reason: z.string() }) },
});

const recorded = (event: Pick<NewEvent, 'type' | 'data' | 'metadata'>): RecordedEvent => ({
  ...event,
  id: 'id',
  stream: streamName('document', 'acme'),
  revision: 3,
  position: 41n as Position,
  recordedAt: '2026-01-01T00:00:00Z',
});
const golden = JSON.parse(readFileSync(join(import.meta.dirname, '..', 'test', 'KnowledgeChunkIndexed.v1.json'), 'utf8')) as NewEvent;
const metadata = (schemaVersion: unknown = 1): JsonObject =>
  ({ tenant: 'acme', actor: 'worker', correlationId: 'request-1', schemaVersion }) as JsonObject;

const current = {
  chunkId: '1'.repeat(32),
  text: 'A palimpsest is a page that was written over.',
  embeddingVersion: 'onnx:all-minilm-l6-v2-int8/384',
  tokens: 9,
};

describe('an event of an older version', () => {
  it('is decoded as the current version, starting with version 1', () =>
    expect(codec.decode(recorded(golden)).event).toEqual({ type: 'KnowledgeChunkIndexed', data: current }));

  it('passes only the later upcasters if it is a later version', () => {
    const { tokens: _tokens, ...second } = current;
    expect(codec.decode(recorded({ ...golden, data: second, metadata: metadata(2) })).event.data).toEqual(current);
    expect(codec.decode(recorded({ ...golden, data: { ...current, tokens: 70 }, metadata: metadata(3) })).event.data).toEqual({
      ...current,
      tokens: 70,
    });
  });

  it('is encoded as the current version', () => {
    const { event, metadata: about } = codec.decode(recorded(golden));
    expect([codec.version('KnowledgeChunkIndexed'), codec.version('DocumentDeleted')]).toEqual([3, 1]);
    expect(codec.encode(event, about, 'id').metadata).toEqual(metadata(3));
  });

  it('is validated after the last upcaster, as the current version', () => {
    const { dimensions: _dimensions, ...incomplete } = golden.data;
    expect(() => codec.decode(recorded({ ...golden, data: incomplete }))).toThrow(
      /event KnowledgeChunkIndexed at position 41: embeddingVersion /,
    );
  });
});

describe('an event that cannot be read', () => {
  it.each<[string, Partial<RecordedEvent>, RegExp]>([
    [
      'a newer version',
      { metadata: metadata(4) },
      /^event KnowledgeChunkIndexed at position 41: schema version 4, supported versions are 1 to 3$/,
    ],
    ['version 0', { metadata: metadata(0) }, /schema version 0/],
    ['a fractional version', { metadata: metadata(1.5) }, /schema version 1.5/],
    ['a version that is not a number', { metadata: metadata('1') }, /schema version "1"/],
    ['no version', { metadata: { tenant: 'acme' } }, /schema version undefined/],
    ['an unknown type', { type: 'KnowledgeChunkPraised' }, /^event KnowledgeChunkPraised at position 41: unknown type$/],
    ['the name of a built-in property', { type: 'toString' }, /unknown type/],
    [
      'an invalid field',
      { data: { ...golden.data, chunkId: 'x' } },
      /^event KnowledgeChunkIndexed at position 41: chunkId .*32 hexadecimal digits/,
    ],
    ['a missing field', { type: 'DocumentDeleted', data: {} }, /^event DocumentDeleted at position 41: reason /],
    ['no tenant', { metadata: { schemaVersion: 1 } }, /^event KnowledgeChunkIndexed at position 41: metadata\.tenant/],
    ['an invalid scope', { metadata: { ...metadata(), scope: 'galaxy' } }, /^event KnowledgeChunkIndexed at position 41: metadata\.scope/],
  ])('is rejected with its position: %s', (_, part, message) => {
    const decode = () => codec.decode({ ...recorded(golden), ...part });
    expect(decode).toThrow(UnreadableEvent);
    expect(decode).toThrow(Corrupt);
    expect(decode).toThrow(message);
  });
});

describe('metadata', () => {
  it('is the same after decoding, without the schema version and missing fields', () => {
    const { metadata: about } = codec.decode(recorded(golden));
    expect(about).toEqual({ tenant: 'acme', actor: 'worker', correlationId: 'request-1' });
  });
});
