import fc from 'fast-check';
import { QuotaExceeded } from '@palimpsest/knowledge/errors';
import type { EffectiveLimits, Reservation, TenantUse } from '@palimpsest/knowledge/limits';
import { documentId, knowledgeBaseId, position, tenantId } from '@palimpsest/knowledge/values';
import { QuotaLedger } from './quota-ledger.ts';

const [acme, other] = [tenantId('acme'), tenantId('other')];
const doc = (number: number) => documentId(number.toString(16).padStart(32, '0'));
const at = (number: number) => position(BigInt(number));

/** A catalog that stays behind the log until a test lets it catch up. */
class Stores {
  use: TenantUse = { documents: 0, chunks: 0, bytes: 0, knowledgeBases: 0 };
  readonly sizes = new Map<string, { bytes: number; chunks: number }>();
  seen = 0;
  head = 0;
  /** Whether the catalog catches up when the ledger waits for it. */
  catchesUp = false;
  waits = 0;
  onReached: () => void = () => undefined;

  readonly ledger = new QuotaLedger({
    catalog: {
      position: async () => at(this.seen),
      use: async (tenant) => (tenant === acme ? this.use : { documents: 0, chunks: 0, bytes: 0, knowledgeBases: 0 }),
      documentSize: async (_, id) => this.sizes.get(id),
    },
    readModels: {
      reached: async () => {
        this.waits++;
        if (this.catchesUp) this.onReached();
        return this.catchesUp;
      },
    },
    log: { head: async () => at(this.head) },
  });

  add(number: number, bytes = 10, limits: EffectiveLimits = LIMITS): Promise<Reservation> {
    return this.ledger.reserve(acme, limits, { document: doc(number), bytes });
  }
}

const LIMITS: EffectiveLimits = { tier: 'free', limits: { quotas: { documents: 3, bytes: 100, chunks: 20, knowledgeBases: 1 } } };
const refusal = (attempt: Promise<unknown>) =>
  attempt.then(
    () => undefined,
    (error: unknown) => (error instanceof QuotaExceeded ? error.quota : error),
  );

describe('quota reservations', () => {
  let stores: Stores;
  beforeEach(() => (stores = new Stores()));

  it('are granted until the quota is used up, also for concurrent requests', async () => {
    const outcomes = await Promise.all(Array.from({ length: 20 }, (_, i) => refusal(stores.add(i))));
    expect(outcomes.filter((outcome) => outcome === undefined)).toHaveLength(3);
    expect(outcomes.at(-1)).toEqual({ limit: 'documents', allowed: 3, used: 3, tier: 'free' });
  });

  it('are available again after a release', async () => {
    const reservations = [await stores.add(1), await stores.add(2), await stores.add(3)];
    expect(await refusal(stores.add(4))).toMatchObject({ limit: 'documents' });
    reservations[0]?.release();
    expect(await refusal(stores.add(4))).toBeUndefined();
  });

  it('count until the catalog includes the resource, and the resource counts once from then on', async () => {
    (await stores.add(1)).commit(at(5));
    (await stores.add(2)).commit(at(6));
    expect(await stores.ledger.used(acme)).toMatchObject({ documents: 2, bytes: 20 });
    [stores.seen, stores.use] = [5, { ...stores.use, documents: 1, bytes: 10 }];
    expect(await stores.ledger.used(acme)).toMatchObject({ documents: 2, bytes: 20 });
    [stores.seen, stores.use] = [6, { ...stores.use, documents: 2, bytes: 20 }];
    expect(await stores.ledger.used(acme)).toMatchObject({ documents: 2, bytes: 20 });
  });

  it('are refused only after the catalog has caught up with the log', async () => {
    stores.use = { ...stores.use, documents: 3 };
    expect(await refusal(stores.add(9))).toMatchObject({ used: 3 });
    stores.catchesUp = true;
    stores.onReached = () => (stores.use = { ...stores.use, documents: 2 });
    expect(await refusal(stores.add(9))).toBeUndefined();
  });

  it('do not wait while usage is far below the quota', async () => {
    await stores.add(1);
    await stores.add(2);
    expect(stores.waits).toBe(0);
    await stores.add(3);
    expect(stores.waits).toBe(1);
  });

  it('cover only the growth of a document', async () => {
    stores.use = { documents: 3, chunks: 20, bytes: 95, knowledgeBases: 1 };
    stores.sizes.set(doc(1), { bytes: 50, chunks: 4 });
    expect(await refusal(stores.add(1, 40))).toBeUndefined();
    expect(await refusal(stores.add(1, 55))).toBeUndefined();
    expect(await refusal(stores.add(1, 61))).toEqual({ limit: 'bytes', allowed: 100, used: 100, tier: 'free' });
    expect(await refusal(stores.ledger.reserve(acme, LIMITS, { document: doc(1), chunks: 4 }))).toBeUndefined();
    expect(await refusal(stores.ledger.reserve(acme, LIMITS, { document: doc(1), chunks: 5 }))).toEqual({
      limit: 'chunks',
      allowed: 20,
      used: 20,
      tier: 'free',
    });
  });

  it('include at least one chunk for a document that was just submitted', async () => {
    await stores.add(1);
    expect(await refusal(stores.ledger.reserve(acme, LIMITS, { document: doc(1), chunks: 21 }))).toMatchObject({
      limit: 'chunks',
      used: 1,
    });
    expect(await refusal(stores.ledger.reserve(acme, LIMITS, { document: doc(1), chunks: 20 }))).toBeUndefined();
    expect(await stores.ledger.used(acme)).toMatchObject({ documents: 1, chunks: 20 });
  });

  it('count a knowledge base once, also for concurrent requests', async () => {
    const make = (id: string) => refusal(stores.ledger.reserve(acme, LIMITS, { knowledgeBase: knowledgeBaseId(id) }));
    expect(await Promise.all([make('default'), make('default'), make('other'), make('default')])).toEqual([
      undefined,
      undefined,
      { limit: 'knowledgeBases', allowed: 1, used: 1, tier: 'free' },
      undefined,
    ]);
  });

  it('of one tenant do not affect another', async () => {
    for (const number of [1, 2, 3]) await stores.add(number);
    expect(await refusal(stores.ledger.reserve(other, LIMITS, { document: doc(1), bytes: 10 }))).toBeUndefined();
    expect(await stores.ledger.used(other)).toMatchObject({ documents: 1 });
  });

  it('are unlimited and free without a quota', async () => {
    for (let i = 0; i < 50; i++) (await stores.add(i, 1_000, { limits: {} })).commit(at(i));
    expect([stores.waits, await stores.ledger.used(acme)]).toEqual([0, stores.use]);
  });

  it('never exceed the quota, in any order of commits and releases', () =>
    fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(fc.integer({ min: 1, max: 40 }), fc.constantFrom('committed', 'released', 'seen')), { maxLength: 30 }),
        async (outcomes) => {
          const world = new Stores();
          await Promise.all(
            outcomes.map(async ([bytes, outcome], i) => {
              const reservation = await world.add(i, bytes, { limits: { quotas: { bytes: 100 } } }).catch(() => undefined);
              if (!reservation) return;
              if (outcome === 'released') return reservation.release();
              world.head++;
              reservation.commit(at(world.head));
              world.sizes.set(doc(i), { bytes, chunks: 0 });
              if (outcome !== 'seen') return;
              // The catalog catches up immediately.
              [world.seen, world.use] = [
                world.head,
                { ...world.use, bytes: [...world.sizes.values()].reduce((sum, size) => sum + size.bytes, 0) },
              ];
            }),
          );
          expect([...world.sizes.values()].reduce((sum, { bytes }) => sum + bytes, 0)).toBeLessThanOrEqual(100);
        },
      ),
    ));
});
