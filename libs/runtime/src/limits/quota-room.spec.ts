import fc from 'fast-check';
import { documentId, knowledgeBaseId, position, QuotaExceeded, tenantId, type HeldLimits, type Hold, type TenantUse } from '@palimpsest/knowledge';
import { QuotaRoom } from './quota-room.ts';

const [acme, other] = [tenantId('acme'), tenantId('other')];
const doc = (number: number) => documentId(number.toString(16).padStart(32, '0'));
const at = (number: number) => position(BigInt(number));

/** A catalogue that lies behind the log until a test says otherwise. */
class Stores {
  use: TenantUse = { documents: 0, chunks: 0, bytes: 0, knowledgeBases: 0 };
  readonly sizes = new Map<string, { bytes: number; chunks: number }>();
  seen = 0;
  head = 0;
  /** Whether waiting for the catalogue helps. */
  keepsUp = false;
  waits = 0;
  onReached: () => void = () => undefined;

  readonly room = new QuotaRoom({
    catalog: {
      position: async () => at(this.seen),
      use: async (tenant) => (tenant === acme ? this.use : { documents: 0, chunks: 0, bytes: 0, knowledgeBases: 0 }),
      documentSize: async (_, id) => this.sizes.get(id),
    },
    readModels: {
      reached: async () => {
        this.waits++;
        if (this.keepsUp) this.onReached();
        return this.keepsUp;
      },
    },
    log: { head: async () => at(this.head) },
  });

  add(number: number, bytes = 10, limits: HeldLimits = LIMITS): Promise<Hold> {
    return this.room.take(acme, limits, { document: doc(number), bytes });
  }
}

const LIMITS: HeldLimits = { tier: 'free', limits: { quotas: { documents: 3, bytes: 100, chunks: 20, knowledgeBases: 1 } } };
const refusal = (wish: Promise<unknown>) => wish.then(() => undefined, (error: unknown) => (error instanceof QuotaExceeded ? error.quota : error));

describe('room within a quota', () => {
  let stores: Stores;
  beforeEach(() => (stores = new Stores()));

  it('is there until it is used, however many ask at once', async () => {
    const asked = await Promise.all(Array.from({ length: 20 }, (_, i) => refusal(stores.add(i))));
    expect(asked.filter((outcome) => outcome === undefined)).toHaveLength(3);
    expect(asked.at(-1)).toEqual({ limit: 'documents', allowed: 3, used: 3, tier: 'free' });
  });

  it('is free again when it came to nothing', async () => {
    const holds = [await stores.add(1), await stores.add(2), await stores.add(3)];
    expect(await refusal(stores.add(4))).toMatchObject({ limit: 'documents' });
    holds[0]?.givenBack();
    expect(await refusal(stores.add(4))).toBeUndefined();
  });

  it('stays taken until the catalogue has seen it, and is counted once from then on', async () => {
    (await stores.add(1)).taken(at(5));
    (await stores.add(2)).taken(at(6));
    expect(await stores.room.used(acme)).toMatchObject({ documents: 2, bytes: 20 });
    [stores.seen, stores.use] = [5, { ...stores.use, documents: 1, bytes: 10 }];
    expect(await stores.room.used(acme)).toMatchObject({ documents: 2, bytes: 20 });
    [stores.seen, stores.use] = [6, { ...stores.use, documents: 2, bytes: 20 }];
    expect(await stores.room.used(acme)).toMatchObject({ documents: 2, bytes: 20 });
  });

  it('is looked for behind all that is on the log before it is refused', async () => {
    stores.use = { ...stores.use, documents: 3 };
    expect(await refusal(stores.add(9))).toMatchObject({ used: 3 });
    stores.keepsUp = true;
    stores.onReached = () => (stores.use = { ...stores.use, documents: 2 });
    expect(await refusal(stores.add(9))).toBeUndefined();
  });

  it('costs no waiting while it is far from being used up', async () => {
    await stores.add(1);
    await stores.add(2);
    expect(stores.waits).toBe(0);
    await stores.add(3);
    expect(stores.waits).toBe(1);
  });

  it('is needed only for what a document grows by', async () => {
    stores.use = { documents: 3, chunks: 20, bytes: 95, knowledgeBases: 1 };
    stores.sizes.set(doc(1), { bytes: 50, chunks: 4 });
    expect(await refusal(stores.add(1, 40))).toBeUndefined();
    expect(await refusal(stores.add(1, 55))).toBeUndefined();
    expect(await refusal(stores.add(1, 61))).toEqual({ limit: 'bytes', allowed: 100, used: 100, tier: 'free' });
    expect(await refusal(stores.room.take(acme, LIMITS, { document: doc(1), chunks: 4 }))).toBeUndefined();
    expect(await refusal(stores.room.take(acme, LIMITS, { document: doc(1), chunks: 5 }))).toEqual({ limit: 'chunks', allowed: 20, used: 20, tier: 'free' });
  });

  it('is taken to the last chunk by a document that was just handed in', async () => {
    await stores.add(1);
    expect(await refusal(stores.room.take(acme, LIMITS, { document: doc(1), chunks: 21 }))).toMatchObject({ limit: 'chunks', used: 1 });
    expect(await refusal(stores.room.take(acme, LIMITS, { document: doc(1), chunks: 20 }))).toBeUndefined();
    expect(await stores.room.used(acme)).toMatchObject({ documents: 1, chunks: 20 });
  });

  it('for a knowledge base is taken once, however many make it at once', async () => {
    const make = (id: string) => refusal(stores.room.take(acme, LIMITS, { knowledgeBase: knowledgeBaseId(id) }));
    expect(await Promise.all([make('default'), make('default'), make('other'), make('default')])).toEqual([undefined, undefined, { limit: 'knowledgeBases', allowed: 1, used: 1, tier: 'free' }, undefined]);
  });

  it('of one tenant is nothing to another', async () => {
    for (const number of [1, 2, 3]) await stores.add(number);
    expect(await refusal(stores.room.take(other, LIMITS, { document: doc(1), bytes: 10 }))).toBeUndefined();
    expect(await stores.room.used(other)).toMatchObject({ documents: 1 });
  });

  it('has no end, and no cost, without a quota', async () => {
    for (let i = 0; i < 50; i++) (await stores.add(i, 1_000, { limits: {} })).taken(at(i));
    expect([stores.waits, await stores.room.used(acme)]).toEqual([0, stores.use]);
  });

  it('is never exceeded, whatever becomes of what was let in', () =>
    fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(fc.integer({ min: 1, max: 40 }), fc.constantFrom('taken', 'givenBack', 'seen')), { maxLength: 30 }), async (asked) => {
        const world = new Stores();
        await Promise.all(
          asked.map(async ([bytes, fate], i) => {
            const hold = await world.add(i, bytes, { limits: { quotas: { bytes: 100 } } }).catch(() => undefined);
            if (!hold) return;
            if (fate === 'givenBack') return hold.givenBack();
            world.head++;
            hold.taken(at(world.head));
            world.sizes.set(doc(i), { bytes, chunks: 0 });
            if (fate !== 'seen') return;
            // The catalogue sees everything up to there at once.
            [world.seen, world.use] = [world.head, { ...world.use, bytes: [...world.sizes.values()].reduce((sum, size) => sum + size.bytes, 0) }];
          }),
        );
        expect([...world.sizes.values()].reduce((sum, { bytes }) => sum + bytes, 0)).toBeLessThanOrEqual(100);
      }),
    ));
});
