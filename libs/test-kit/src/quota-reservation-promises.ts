import { describe, expect, it } from '@jest/globals';
import type { Limits, QuotaName, Reservation } from '@palimpsest/knowledge/limits';
import { knowledgeBaseId, type TenantId } from '@palimpsest/knowledge/values';
import { aDocumentId, ACME, indexed, knowledgeBaseCreated, OTHER, submitted } from './catalog-fixture.ts';
import { QuotaWorld, refusal, type OpenQuotaPolicy } from './quota-policy-fixture.ts';

type Reserved = Readonly<{ commit: () => void; release: () => void }>;
type Reserve = (world: QuotaWorld, number: number, tenant?: TenantId) => Promise<Reserved>;
/** A quota that has room for the resources of three reservations. */
type Kind = Readonly<{ limit: QuotaName; quotas: NonNullable<Limits['quotas']>; reserve: Reserve }>;

const SIZE = 10;

/** Commits at the position of the recorded resource. */
const recordedBy = ({ commit, release }: Reservation, record: () => Parameters<Reservation['commit']>[0]): Reserved => ({
  commit: () => commit(record()),
  release,
});

const document: Reserve = async (world, number, tenant = ACME) =>
  recordedBy(await world.policy.reserveDocument(tenant, aDocumentId(number), SIZE), () =>
    world.record(submitted(number, { tenant, bytes: SIZE })),
  );

const chunks: Reserve = async (world, number, tenant = ACME) =>
  recordedBy(await world.policy.reserveChunks(tenant, aDocumentId(number), SIZE), () => {
    world.record(submitted(number, { tenant }));
    return world.record(
      indexed(
        number,
        Array.from({ length: SIZE }, (_, chunk) => 100 * number + chunk),
        { tenant },
      ),
    );
  });

const knowledgeBase: Reserve = async (world, number, tenant = ACME) => {
  const id = knowledgeBaseId(`base-${number}`);
  return recordedBy(await world.policy.reserveKnowledgeBase(tenant, id), () => world.record(knowledgeBaseCreated({ tenant, id })));
};

const retrieval: Reserve = async ({ policy }, number, tenant = ACME) => {
  const { commit, release } = await policy.reserveRetrieval(tenant);
  return { commit: () => commit(`trace-${number}`), release };
};

const KINDS: readonly Kind[] = [
  { limit: 'documents', quotas: { documents: 3 }, reserve: document },
  { limit: 'bytes', quotas: { bytes: 3 * SIZE }, reserve: document },
  { limit: 'chunks', quotas: { chunks: 3 * SIZE }, reserve: chunks },
  { limit: 'knowledgeBases', quotas: { knowledgeBases: 3 }, reserve: knowledgeBase },
  { limit: 'retrievalsPerDay', quotas: { retrievalsPerDay: 3 }, reserve: retrieval },
];

/** What every quota promises. */
export const reservationPromises = (open: OpenQuotaPolicy): void =>
  describe.each(KINDS)('the quota of $limit', ({ limit, quotas, reserve }) => {
    const check = (test: (world: QuotaWorld, reservations: readonly [Reserved, Reserved, Reserved]) => Promise<void>) => () =>
      QuotaWorld.with(open, { quotas }, async (world) =>
        test(world, [await reserve(world, 1), await reserve(world, 2), await reserve(world, 3)]),
      );
    const allowed = quotas[limit] ?? 0;

    it('is never exceeded by concurrent reservations; a refusal reports the quota and its usage', () =>
      QuotaWorld.with(open, { quotas }, async (world) => {
        const outcomes = await Promise.all(Array.from({ length: 12 }, (_, number) => refusal(reserve(world, number))));
        const refused = outcomes.filter((outcome) => outcome !== undefined);
        expect(refused).toHaveLength(9);
        for (const quota of refused) expect(quota).toMatchObject({ limit, allowed, used: allowed });
      }));

    it(
      'is free again after a release, which counts once',
      check(async (world, [first]) => {
        expect(await refusal(reserve(world, 4))).toMatchObject({ limit });
        first.release();
        first.release();
        expect([await refusal(reserve(world, 5)), await refusal(reserve(world, 6))]).toEqual([
          undefined,
          expect.objectContaining({ limit, used: allowed }),
        ]);
      }),
    );

    it(
      'stays in use after a commit: a later release has no effect',
      check(async (world, reservations) => {
        for (const reservation of reservations) reservation.commit();
        for (const reservation of reservations) reservation.release();
        expect(await refusal(reserve(world, 4))).toMatchObject({ limit, used: allowed });
      }),
    );

    it(
      'counts a committed resource once, before and after the catalog contains it',
      check(async (world, [first, , third]) => {
        first.commit();
        third.release();
        await world.catchUp();
        expect(await refusal(reserve(world, 4))).toBeUndefined();
        expect(await refusal(reserve(world, 5))).toMatchObject({ limit, used: allowed });
      }),
    );

    it(
      'of one tenant does not affect another',
      check(async (world) => {
        for (const number of [1, 2, 3]) expect(await refusal(reserve(world, number, OTHER))).toBeUndefined();
        expect(await refusal(reserve(world, 4, OTHER))).toMatchObject({ limit, used: allowed });
      }),
    );
  });
