import { chunkId, documentId } from '@palimpsest/knowledge/values';
import { recordedQueries } from './recorded-queries.ts';
import type { QueryOutcome } from './run-queries.ts';

const CHUNK = chunkId('0'.repeat(32));
const DOCUMENT = documentId('1'.repeat(32));
const outcome = (start: number, after: number): QueryOutcome =>
  ({
    query: { source: 'self', of: { chunkId: CHUNK, documentId: DOCUMENT, start, end: start + 40 } },
    ...{ before: 0.5, after, rankings: { before: [DOCUMENT], after: [] } },
  }) as unknown as QueryOutcome;

describe('The recorded queries of an evaluation', () => {
  it('are all of them, in their order, and those that changed most with their results', () => {
    const outcomes = Array.from({ length: 50 }, (_, n) => outcome(n, n === 20 ? 1 : n === 30 ? 0 : 0.5));
    const recorded = recordedQueries(outcomes, 'self');
    expect(recorded).toHaveLength(50);
    expect(recorded.flatMap((query, n) => (query.documents ? [n] : []))).toEqual([20, 30]);
  });

  it('fit into one append: of very many, those that changed most', () => {
    const outcomes = Array.from({ length: 20_000 }, (_, n) => outcome(n, n % 7 === 0 ? 0.6 : 0.5));
    const recorded = recordedQueries(outcomes, 'self');
    expect(Buffer.byteLength(JSON.stringify(recorded))).toBeLessThan(500_100);
    expect(recorded.filter(({ after }) => after === 0.6)).toHaveLength(Math.ceil(20_000 / 7));
    expect(recorded.length).toBeGreaterThan(2_857);
  });
});
