import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { authorise } from '@palimpsest/knowledge/access';
import { chunkId, generationId, position, tenantId, vectorScope } from '@palimpsest/knowledge/values';
import { InMemoryScopeKeys } from '@palimpsest/test-kit';
import { openScanVectorIndex } from './scan-vector-index.ts';

const [scope] = authorise({ tenant: tenantId('acme'), teams: ['red'], roles: ['reader'], actor: 'spec' }, [vectorScope('team:red')]);
if (!scope) throw new Error('the scope is readable');
const partition = { scope, generation: generationId('g1') };

const unit = (dimensions: number, at: number): Float32Array => {
  const vector = new Float32Array(dimensions);
  vector[at % dimensions] = 1;
  return vector;
};

describe('the bytes of a partition', () => {
  it.each([
    [384, 3_000],
    [64, 5_000],
    [1_000, 1_500],
  ])('are those of the formula within 25 %%: %i dimensions, %i vectors', async (dimensions, count) => {
    const root = await mkdtemp(join(tmpdir(), 'bytes-for-'));
    const index = await openScanVectorIndex({ root, keys: new InMemoryScopeKeys() });
    try {
      const puts = Array.from({ length: count }, (_, n) => ({
        write: 'put' as const,
        chunkId: chunkId((n + 1).toString(16).padStart(32, '0')),
        vector: unit(dimensions, n),
        attributes: { documentId: `d${Math.floor(n / 20)}`, language: 'en' },
      }));
      for (let at = 0; at < count; at += 50) await index.apply(partition, puts.slice(at, at + 50), position(BigInt(1 + at)));
      await index.search(partition, unit(dimensions, 0), { k: 1 });
      const [used, expected] = [await index.bytes?.(partition), index.bytesFor?.(count, dimensions)];
      for (const what of ['memory', 'disk'] as const) {
        expect(used?.[what]).toBeGreaterThan(0.75 * (expected?.[what] ?? Infinity));
        expect(used?.[what]).toBeLessThan(1.25 * (expected?.[what] ?? 0));
      }
      await index.drop(partition);
      expect(await index.bytes?.(partition)).toEqual({ memory: 0, disk: 0 });
    } finally {
      await index.close();
      await rm(root, { recursive: true, force: true });
    }
  });
});
