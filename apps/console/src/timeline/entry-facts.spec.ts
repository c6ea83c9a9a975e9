import type { TimelineEntry } from '@palimpsest/client';
import { detailsOf, documentPathOf, happeningOf } from './entry-facts.ts';

const recorded = { position: '12', at: '2026-11-20T09:30:00.000Z' };
const document = { ...recorded, documentId: 'd1', knowledgeBase: 'handbook', source: 'holidays.md', title: 'Holidays', version: 2 };
const said = (entry: TimelineEntry): readonly string[] => [happeningOf(entry), ...detailsOf(entry)];

describe('an entry of the timeline', () => {
  it('says what happened to a document', () => {
    expect(said({ kind: 'arrived', ...document, chunks: { added: 1, removed: 0, kept: 0 } })).toEqual([
      '“Holidays” arrived',
      'holidays.md',
      'handbook',
      '1 chunk added',
    ]);
    expect(said({ kind: 'changed', ...document, chunks: { added: 2, removed: 1, kept: 4 } })).toEqual([
      '“Holidays” changed to version 2',
      'holidays.md',
      'handbook',
      '2 chunks added, 1 removed, 4 kept',
    ]);
    expect(said({ kind: 'failed', ...document, reason: 'Unreadable', detail: 'It is damaged.' })).toEqual([
      'Version 2 of “Holidays” could not be indexed',
      'holidays.md',
      'handbook',
      'It is damaged.',
    ]);
  });

  it('says what serves searches after a change of the model', () =>
    expect(
      said({
        kind: 'model',
        ...recorded,
        change: 'rolled-back',
        generation: 'g1',
        embeddingVersion: 'local:a/3',
        chunkList: 'default',
        serving: { generation: 'g1', embeddingVersion: 'local:a/3' },
      }),
    ).toEqual(['The generation g1 was rolled back to', 'local:a/3', 'g1 serves searches']));

  it('says what changed of a knowledge base, and that something cannot be read', () => {
    expect(said({ kind: 'knowledge-base', ...recorded, knowledgeBase: 'handbook', change: 'paused' })).toEqual([
      'The knowledge base handbook was paused',
    ]);
    expect(said({ kind: 'unreadable', ...recorded, reason: 'erased' })).toEqual([
      'Something happened that cannot be read',
      'The encryption key of the scope was destroyed.',
    ]);
  });

  it('leads to the document as it was, to a deleted one as it was before', () => {
    const chunks = { added: 0, removed: 1, kept: 0 };
    expect(documentPathOf({ kind: 'changed', ...document, chunks })).toBe('/documents/d1?asOf=12');
    expect(documentPathOf({ kind: 'left', ...document, chunks })).toBe('/documents/d1?asOf=11');
    expect(documentPathOf({ kind: 'unreadable', ...recorded, reason: 'erased' })).toBeUndefined();
  });
});
