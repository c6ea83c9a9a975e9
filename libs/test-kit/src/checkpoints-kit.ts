import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Checkpoints } from '@palimpsest/knowledge/ports';
import { position, START } from '@palimpsest/knowledge/values';

/** New checkpoints. `reopen` closes them and opens the stored data again. */
export type CheckpointsUnderTest = Readonly<{ checkpoints: Checkpoints; reopen(): Promise<Checkpoints>; dispose(): Promise<void> }>;

export const describeCheckpoints = (name: string, open: () => Promise<CheckpointsUnderTest>): void =>
  describe(`${name} fulfils the contract of Checkpoints`, () => {
    let under: CheckpointsUnderTest;
    beforeEach(async () => {
      under = await open();
    });
    afterEach(() => under.dispose());

    it('returns START for an unknown follower', async () => expect(await under.checkpoints.get('relay')).toBe(START));

    it('keeps the last position of each follower, also after a restart', async () => {
      await under.checkpoints.set('relay', position('7'));
      await under.checkpoints.set('read-models', position('18446744073709551614'));
      await under.checkpoints.set('relay', position('3'));
      for (const next of [async () => under.checkpoints, under.reopen]) {
        const seen = await next();
        expect([await seen.get('relay'), await seen.get('read-models'), await seen.get('other')]).toEqual([
          3n,
          18446744073709551614n,
          START,
        ]);
      }
    });
  });
