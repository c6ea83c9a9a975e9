import { replayPath, traceOf } from './trace.ts';

it('the record of a search leads to its replay', () => {
  expect(traceOf({ type: 'KnowledgeRetrieved', data: { traceId: 't1' } })).toBe('t1');
  expect(replayPath('a/b')).toBe('/replay/a%2Fb');
});

it('no other event does, and none that the caller may not read', () => {
  expect(traceOf({ type: 'DocumentIndexed', data: { traceId: 't1' } })).toBeUndefined();
  expect(traceOf({ type: 'KnowledgeRetrieved' })).toBeUndefined();
});
