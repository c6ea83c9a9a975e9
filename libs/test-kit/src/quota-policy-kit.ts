import { describe, expect, it } from '@jest/globals';
import { QuotaExceeded } from '@palimpsest/knowledge/errors';
import type { Limits } from '@palimpsest/knowledge/limits';
import { knowledgeBaseId, position, STRATEGIES, type Strategy } from '@palimpsest/knowledge/values';
import { aDocumentId, ACME, OTHER } from './catalog-fixture.ts';
import { QuotaWorld, type OpenQuotaPolicy } from './quota-policy-fixture.ts';
import { ratePromises } from './quota-rate-promises.ts';
import { reservationPromises } from './quota-reservation-promises.ts';
import { resourcePromises } from './quota-resource-promises.ts';

/** Every choice of strategies that a tier can make. */
const CHOICES = Array.from({ length: 2 ** STRATEGIES.length - 1 }, (_, bits) => STRATEGIES.filter((__, i) => ((bits + 1) >> i) % 2 === 1));

/** The contract of `QuotaPolicy`. */
export const describeQuotaPolicy = (name: string, open: OpenQuotaPolicy): void => {
  describeUnlimitedQuotaPolicy(name, (stores) => open({}, stores));
  describe(`${name} fulfils the contract of QuotaPolicy`, () => {
    it('returns the limits of a tenant', async () => {
      const limits: Limits = { quotas: { documents: 7 }, strategies: ['SparseOnly'] };
      await QuotaWorld.with(open, limits, async ({ policy }) => expect(policy.of(ACME).limits).toEqual(limits));
    });

    ratePromises(open);
    reservationPromises(open);
    resourcePromises(open);

    it('refuses live streams from the quota on', () =>
      QuotaWorld.with(open, { quotas: { liveStreams: 2 } }, async ({ policy }) => {
        for (const opened of [0, 1]) policy.liveStream(ACME, opened);
        for (const opened of [2, 3]) expect(() => policy.liveStream(ACME, opened)).toThrow(QuotaExceeded);
      }));

    it.each(CHOICES.map((strategies) => ({ strategies })))(
      'uses one of $strategies, and the requested one if it is among them',
      ({ strategies }) =>
        QuotaWorld.with(open, { strategies }, async ({ policy }) => {
          for (const requested of STRATEGIES) {
            const downgrade = policy.downgrade(ACME, requested);
            const best: Strategy | undefined = strategies[0];
            if (strategies.includes(requested)) expect(downgrade).toBeUndefined();
            else expect(downgrade).toMatchObject({ asked: requested, used: best, detail: expect.stringContaining(requested) });
          }
        }),
    );
  });
};

/** The part of the contract that concerns tenants without limits. */
export const describeUnlimitedQuotaPolicy = (
  name: string,
  open: (stores: Parameters<OpenQuotaPolicy>[1]) => ReturnType<OpenQuotaPolicy>,
): void =>
  describe(`${name}, without limits,`, () => {
    const check = (test: (world: QuotaWorld) => Promise<void>) => () => QuotaWorld.with((_, stores) => open(stores), {}, test);
    const times = <T>(run: (i: number) => Promise<T>): Promise<readonly T[]> => Promise.all(Array.from({ length: 50 }, (_, i) => run(i)));

    it(
      'reports no limits',
      check(async ({ policy }) => expect([policy.of(ACME).limits, policy.of(OTHER).limits]).toEqual([{}, {}])),
    );

    it(
      'refuses no request',
      check(async ({ policy }) => {
        for (const kind of ['search', 'context', 'writes'] as const)
          await times(() => policy.request({ tenant: ACME, teams: [], roles: ['reader'], actor: 'key:1' }, kind));
        policy.liveStream(ACME, 1_000_000);
      }),
    );

    it(
      'grants every reservation, whether it is committed or released',
      check(async ({ policy }) => {
        const granted = [
          ...(await times((i) => policy.reserveDocument(ACME, aDocumentId(i), 1_000_000))),
          ...(await times((i) => policy.reserveChunks(ACME, aDocumentId(i), 1_000_000))),
          ...(await times((i) => policy.reserveKnowledgeBase(ACME, knowledgeBaseId(`base-${i}`)))),
        ];
        for (const [i, { commit, release }] of granted.entries()) {
          if (i % 2 === 0) commit(position(BigInt(i)));
          else release();
        }
        const retrievals = await times(() => policy.reserveRetrieval(ACME));
        retrievals[0]?.commit('trace');
        retrievals[1]?.release();
        expect([granted.length, retrievals.length]).toEqual([150, 50]);
      }),
    );

    it(
      'uses the requested strategy',
      check(async ({ policy }) =>
        expect(STRATEGIES.map((strategy) => policy.downgrade(ACME, strategy))).toEqual(STRATEGIES.map(() => undefined)),
      ),
    );
  });
