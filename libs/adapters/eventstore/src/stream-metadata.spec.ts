import { parseStreamMetadata } from './stream-metadata.ts';

describe('parseStreamMetadata', () => {
  it('keeps numbers that JavaScript would round, so that a soft delete stays one', () => {
    const text = '{"$tb":9223372036854775807,"$maxAge":60,"owner":"ann","ratio":1.50}';
    expect(JSON.stringify({ ...parseStreamMetadata(text), $maxAge: 70 })).toBe(text.replace('60', '70'));
  });
});
