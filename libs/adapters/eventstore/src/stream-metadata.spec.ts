import { parseStreamMetadata } from './stream-metadata.ts';

describe('parseStreamMetadata', () => {
  it('keeps numbers that JavaScript would round, such as the mark of a soft delete', () => {
    const text = '{"$tb":9223372036854775807,"$maxAge":60,"owner":"ann","ratio":1.50}';
    expect(JSON.stringify({ ...parseStreamMetadata(text), $maxAge: 70 })).toBe(text.replace('60', '70'));
  });
});
