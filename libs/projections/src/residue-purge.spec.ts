import { Unavailable } from '@palimpsest/knowledge/errors';
import type { ReadModelStores } from './read-model-stores.ts';
import { ResiduePurge } from './residue-purge.ts';

const aPurge = (purge: () => Promise<void>) => {
  const errors: unknown[] = [];
  const stores = { catalog: { purge } } as unknown as ReadModelStores;
  const residue = new ResiduePurge(stores, { delayMs: 1_000_000, onError: (error) => errors.push(error), onPurged: () => undefined });
  return { residue, errors };
};

describe('A purge for a caller that has to know whether it was done', () => {
  it('fails if a store fails, and can be repeated', async () => {
    let full = true;
    const { residue, errors } = aPurge(async () => {
      if (full) throw new Error('no space left');
    });
    residue.start();
    await expect(residue.complete()).rejects.toThrow('no space left');
    full = false;
    await expect(residue.complete()).resolves.toBeUndefined();
    expect(errors).toEqual([]);
    await residue.stop();
  });

  it('fails after the stop, when nothing is purged any more', async () => {
    const { residue } = aPurge(async () => undefined);
    residue.start();
    await residue.stop();
    await expect(residue.complete()).rejects.toThrow(Unavailable);
  });
});
