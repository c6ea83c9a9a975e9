import { expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { Reservation } from '@palimpsest/knowledge/limits';
import { knowledgeBaseId } from '@palimpsest/knowledge/values';
import { aDocumentId, ACME, indexed, knowledgeBaseCreated, submitted } from './catalog-fixture.ts';
import { QuotaWorld, refusal, type OpenQuotaPolicy } from './quota-policy-fixture.ts';

const BYTES = 100;
const step = fc.record({
  bytes: fc.integer({ min: 1, max: 40 }),
  then: fc.constantFrom('commit', 'commit and catch up', 'release', 'keep'),
});

/** How documents, their versions and their chunks count. */
export const resourcePromises = (open: OpenQuotaPolicy): void => {
  it('counts a resource once that is reserved several times', () =>
    QuotaWorld.with(open, { quotas: { documents: 1, bytes: 10, knowledgeBases: 1 } }, async ({ policy }) => {
      const [document, base] = [
        () => policy.reserveDocument(ACME, aDocumentId(1), 10),
        () => policy.reserveKnowledgeBase(ACME, knowledgeBaseId('base')),
      ];
      for (const reserve of [document, base])
        expect(await Promise.all([refusal(reserve()), refusal(reserve()), refusal(reserve())])).toEqual([undefined, undefined, undefined]);
      expect(await refusal(policy.reserveDocument(ACME, aDocumentId(2), 10))).toMatchObject({ limit: 'documents', used: 1 });
    }));

  it('counts a new version of a document by its growth, and new chunks by how many more they are', () =>
    QuotaWorld.with(open, { quotas: { documents: 1, bytes: 50, chunks: 4 } }, async (world) => {
      const { policy } = world;
      world.record(knowledgeBaseCreated());
      world.record(submitted(1, { bytes: 40 }));
      world.record(indexed(1, [1, 2, 3]));
      await world.catchUp();
      expect(await refusal(policy.reserveDocument(ACME, aDocumentId(1), 51))).toMatchObject({ limit: 'bytes', used: 40 });
      expect(await refusal(policy.reserveDocument(ACME, aDocumentId(1), 50))).toBeUndefined();
      expect(await refusal(policy.reserveChunks(ACME, aDocumentId(1), 5))).toMatchObject({ limit: 'chunks', used: 3 });
      expect(await refusal(policy.reserveChunks(ACME, aDocumentId(1), 4))).toBeUndefined();
    }));

  it('reserves nothing if it refuses', () =>
    QuotaWorld.with(open, { quotas: { documents: 5, bytes: 10 } }, async ({ policy }) => {
      expect(await refusal(policy.reserveDocument(ACME, aDocumentId(1), 11))).toMatchObject({ limit: 'bytes', used: 0 });
      expect(await refusal(policy.reserveDocument(ACME, aDocumentId(2), 10))).toBeUndefined();
    }));

  it('grants a reservation exactly if it fits next to all others, in any order of commits and releases', () =>
    fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 20 }), (steps) =>
        QuotaWorld.with(open, { quotas: { bytes: BYTES } }, async (world) => {
          let used = 0;
          for (const [number, { bytes, then }] of steps.entries()) {
            let reservation: Reservation | undefined;
            const attempt = world.policy.reserveDocument(ACME, aDocumentId(number), bytes).then((granted) => (reservation = granted));
            expect((await refusal(attempt))?.used).toBe(used + bytes > BYTES ? used : undefined);
            if (reservation === undefined) continue;
            if (then !== 'release') used += bytes;
            if (then === 'release') reservation.release();
            if (then.startsWith('commit')) reservation.commit(world.record(submitted(number, { bytes })));
            if (then === 'commit and catch up') await world.catchUp();
          }
        }),
      ),
    ));
};
