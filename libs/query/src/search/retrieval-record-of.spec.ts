import type { SearchAnswer } from './search-answer.ts';
import { retrievalRecordOf } from './retrieval-record-of.ts';
import { searchRequest } from './search-request.ts';

const recordOf = (over: object) => {
  const answer = { hits: [], position: 1n, traceId: 'trace', timings: { totalMs: 1, stages: [] } } as unknown as SearchAnswer;
  return retrievalRecordOf({ request: searchRequest({ query: 'Kessel', ...over }), space: { requested: [], permitted: [], searchable: [] }, answer, pool: 0, queryHash: 'hash' }).data;
};

describe('The record of a retrieval', () => {
  it('holds the language that was named for the query', () => expect(recordOf({ language: 'de-CH' }).language).toBe('de-CH'));
  it('holds none where none was named', () => expect('language' in recordOf({})).toBe(false));
});

describe('A search request', () => {
  it.each(['../../etc/passwd', 'en/../x', 'english', '', 'EN', `en-${'x'.repeat(100_000)}`, 'de\u0000', 7, null, ['de']])('is refused with the language %j', (language) =>
    expect(() => searchRequest({ query: 'Kessel', language })).toThrow(/language/));
});
