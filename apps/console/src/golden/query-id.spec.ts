import { createHash } from 'node:crypto';
import { derivedId, sha256 } from './query-id.ts';

it.each([0, 1, 3, 55, 56, 63, 64, 65, 119, 120, 1_000])('hashes %d characters as node does', (length) => {
  for (const text of ['a'.repeat(length), 'ü🙂'.repeat(length)]) expect(sha256(text)).toBe(createHash('sha256').update(text).digest('hex'));
});

// As docs/how-to/golden-queries.md shows it.
it('gives a query the id that the command line gives it', () =>
  expect(derivedId('how many days may be carried over?')).toBe('q-5f4929c34df8'));
