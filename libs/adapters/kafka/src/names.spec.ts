import { InvalidValue } from '@palimpsest/knowledge/errors';
import fc from 'fast-check';
import { topicName } from './names.ts';

/** A grapheme can be several code points, each up to 12 characters of a name. */
const name = fc.string({ minLength: 1, maxLength: 5, unit: 'grapheme' });

describe('the names of topics', () => {
  it('equal those of the port if Kafka allows them', () => {
    expect(topicName('palimpsest.', 'ingest-v1.commands')).toBe('palimpsest.ingest-v1.commands');
  });

  it('are unique', () => {
    fc.assert(fc.property(name, name, (one, other) => expect(topicName('', one) === topicName('', other)).toBe(one === other)));
  });

  it('contain only characters that Kafka allows', () => {
    fc.assert(fc.property(name, (one) => expect(topicName('p.', one)).toMatch(/^[a-zA-Z0-9._-]+$/)));
  });

  it.each(['', 'dead-letters', 'shares-relay', 'x'.repeat(250)])('refuse %j', (name) => {
    expect(() => topicName('p.', name)).toThrow(InvalidValue);
  });
});
