import { InvalidValue } from '@palimpsest/knowledge/errors';
import { streamName, type NewEvent } from '@palimpsest/knowledge/ports';
import { encodeAppend } from './encode-append.ts';

const stream = streamName('document', 'acme', 'one');
const id = '0190A1B2-c3d4-4e5f-8a9b-0c1d2e3f4a5b';
const event: NewEvent = { id, type: 'Noted', data: { text: 'a\nb' }, metadata: {} };
const encode = (part: object) => encodeAppend(stream, [{ ...event, ...part } as NewEvent], 'no-stream');

describe('encodeAppend', () => {
  it('writes three lines per event', async () => {
    expect(await encodeAppend(stream, [event], 4)).toEqual({
      stream,
      expected: 4,
      ids: ['0190a1b2c3d44e5f8a9b0c1d2e3f4a5b'],
      lines: 'Noted\n{"text":"a\\nb"}\n{}',
    });
  });

  it.each([
    ['an id that is not a UUID', { id: 'one' }],
    ['an empty type', { type: '' }],
    ['a type of two lines', { type: 'No\nted' }],
    ['data that is not an object', { data: [] }],
    ['no data', { data: undefined }],
    ['data that cannot be encoded as JSON', { data: { big: 1n } }],
    ['metadata that is not an object', { metadata: 'ann' }],
  ])('refuses %s', async (_, part) => {
    await expect(encode(part)).rejects.toThrow(InvalidValue);
  });

  it('refuses a duplicate id, regardless of upper or lower case', async () => {
    await expect(encodeAppend(stream, [event, { ...event, id: id.toLowerCase() }], 'no-stream')).rejects.toThrow(
      'a different id for each event',
    );
  });

  it.each([-1, 1.5, Number.NaN, 'any'])('refuses %s as the expected revision', async (expected) => {
    await expect(encodeAppend(stream, [event], expected as number)).rejects.toThrow(InvalidValue);
  });
});
