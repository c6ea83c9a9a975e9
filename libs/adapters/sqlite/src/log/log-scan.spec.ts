import { InvalidValue } from '@palimpsest/knowledge/errors';
import { streamName } from '@palimpsest/knowledge/ports';
import { allScan, batchSize, streamScan, typesOf } from './log-scan.ts';

const stream = streamName('document', 'acme', 'one');

describe('the options of a read', () => {
  it.each([-1, 0.5, Number.NaN])('refuse %s as limit, first revision or batch size', (wrong) => {
    expect(() => allScan({ limit: wrong })).toThrow(InvalidValue);
    expect(() => streamScan(stream, { from: wrong })).toThrow(InvalidValue);
    expect(() => batchSize(wrong)).toThrow(InvalidValue);
  });

  it('refuse more types than one query can merge', () => {
    expect(() => typesOf(Array.from({ length: 257 }, (_, number) => `Type${number}`))).toThrow(InvalidValue);
  });

  it('limit the size of a batch', () => {
    expect(batchSize(undefined)).toBe(512);
    expect(batchSize(1_000_000)).toBe(1024);
  });

  it('make cursors exclusive: one before the first requested revision', () => {
    expect(streamScan(stream, { from: 3 }).cursor).toBe(2);
    expect(streamScan(stream, { from: 3, direction: 'backwards' }).cursor).toBe(4);
  });
});
