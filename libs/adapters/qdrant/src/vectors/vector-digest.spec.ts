import { createHash } from 'node:crypto';
import { chunkId } from '@palimpsest/knowledge';
import { vectorDigestQdrant } from './vector-digest.ts';

describe('vectorDigestQdrant', () => {
  it('is what it says it is, also of a part of a larger array', () => {
    const all = Float32Array.from([9, 0.1, -2.5, 9]);
    const put = { chunkId: chunkId('00000000000000000000000000000abc'), vector: all.subarray(1, 3), attributes: { b: 'x', a: 1 } };
    const values = new DataView(new ArrayBuffer(12));
    values.setUint32(0, 2, true);
    values.setFloat32(4, 0.1, true);
    values.setFloat32(8, -2.5, true);
    expect(vectorDigestQdrant(put)).toBe(createHash('sha256').update(put.chunkId).update(values).update('{"a":1,"b":"x"}').digest('hex'));
  });
});
