import { createHash } from 'node:crypto';
import { derivedId } from './query-id.ts';

it.each(['', 'a', 'ü🙂 '.repeat(200)])('is made from the digest that the command line uses', (text) =>
  expect(derivedId(text)).toBe(`q-${createHash('sha256').update(text).digest('hex').slice(0, 12)}`),
);

// As docs/how-to/golden-queries.md shows it.
it('gives a query the id that the command line gives it', () =>
  expect(derivedId('how many days may be carried over?')).toBe('q-5f4929c34df8'));
