import type { LogCheckResult } from '@palimpsest/client';
import { checkText, lastCheckpoint } from './log-check-facts.ts';

const check = (over: Partial<LogCheckResult> = {}): LogCheckResult => ({
  intact: true,
  records: 1200,
  expired: 0,
  vacuumed: 0,
  unsigned: 0,
  checkpoints: 1,
  findingCount: 0,
  findings: [],
  keyId: 'ab',
  ...over,
});

describe('the result of a check of the log', () => {
  it.each([
    [{}, '1,200 records in 1 checkpoint: none was changed, removed, inserted or reordered after it was signed.'],
    [{ unsigned: 3, expired: 7, vacuumed: 9 }, /signed\. 3 not signed yet\. 7 expired\. 9 removed as old history\.$/],
    [{ intact: false, findingCount: 1 }, '1 record changed, removed, inserted or reordered after signing.'],
  ])('of %j is said in a sentence', (over, text) => {
    expect(checkText(check(over))).toMatch(text);
  });

  it('has the last checkpoint as the command line takes it', () => {
    expect(lastCheckpoint(check())).toBeUndefined();
    expect(lastCheckpoint(check({ last: { number: 4, digest: '9b0f', upTo: '7', signedAt: '2026-11-28T06:00:00Z' } }))).toBe('4:9b0f');
  });
});
