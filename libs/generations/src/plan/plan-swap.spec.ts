import type { Access } from '@palimpsest/knowledge/access';
import { Conflict, Forbidden, InvalidValue, NotFound, Unavailable } from '@palimpsest/knowledge/errors';
import { UNLIMITED } from '@palimpsest/knowledge/limits';
import { planId } from '@palimpsest/knowledge/plans';
import { tenantId } from '@palimpsest/knowledge/values';
import { Buses } from '@palimpsest/runtime';
import { aFakeEmbeddingProvider } from '@palimpsest/test-kit';
import { ADMIN, HUGE, MINI, SCOPE, World } from '../../test/world.ts';
import { RetireSwap, RollBackSwap, StartSwap } from '../swap-scope.ts';
import { ApproveSwapPlan, GetSwapPlan, PlanSwap, PlanSwaps, type PlanOptions } from './plan-swap.ts';
import { PlanTenants } from './plan-tenants.ts';

const { scope } = SCOPE;
const P1 = planId('p1');
const OTHER: Access = { ...ADMIN, actor: 'key-2' };
const aWorld = async (huge = aFakeEmbeddingProvider({ version: HUGE })) => {
  const world = await new World(aFakeEmbeddingProvider({ version: MINI }), huge).begin();
  await world.indexed('a', ['one two three', 'four five']);
  await world.indexed('b', ['six']);
  return world;
};
const callOf = (world: World, access: Access = ADMIN) => {
  const buses = new Buses([...world.plans.handlers, ...world.swaps.handlers, ...world.tenantPlans.handlers], UNLIMITED);
  const caller = { access, correlationId: 'request-1' };
  return {
    plan: async (options: PlanOptions = {}) =>
      (await buses.execute(new PlanSwap(caller, { scope, embeddingVersion: HUGE, ...options }))).plan,
    planAll: (options: PlanOptions = {}) => buses.execute(new PlanSwaps(caller, { embeddingVersion: HUGE, ...options })),
    planTenants: () => buses.execute(new PlanTenants(caller, { embeddingVersion: HUGE })),
    latest: () => buses.execute(new GetSwapPlan(caller, { scope })),
    approve: (plan = P1) => buses.execute(new ApproveSwapPlan(caller, { scope, plan })),
    start: (plan?: typeof P1) => buses.execute(new StartSwap(caller, { scope, ...(plan ? { plan } : { embeddingVersion: HUGE }) })),
    retire: () => buses.execute(new RetireSwap(caller, { scope })),
    rollBack: () => buses.execute(new RollBackSwap(caller, { scope })),
  };
};

describe('a plan', () => {
  it('says what the swap would take, and starts nothing', async () => {
    const world = await aWorld();
    world.described = { pricePerMillionTokens: 100, limits: { tokensPerMinute: 60 } };
    const call = callOf(world);
    const plan = await call.plan({ cutover: 'gate', seed: 7 });
    expect(plan).toMatchObject({
      ...{ scope, plan: 'p1', cutover: 'gate', documents: 2, chunks: 3, seed: 7, by: { actor: 'key-1' } },
      recipe: { embedding: { version: HUGE } },
      tokens: { texts: 6, method: 'counted', read: 3 },
      reusable: { chunks: 0, exact: true },
      time: { sampledChunks: 3, refused: 0, limitedBy: 'tokensPerMinute' },
      bytes: { vectors: 3 * 32 * 4 },
    });
    expect(plan.cost).toBeCloseTo((plan.tokens.embedded * 100) / 1e6, 12);
    expect(plan.time?.seconds).toBe(plan.tokens.embedded);
    expect(await call.latest()).toEqual(plan);
    expect(await world.generations()).toHaveLength(1);
  });

  it('has the tokens that the swap then reports', async () => {
    const world = await aWorld();
    const call = callOf(world);
    const { tokens } = await call.plan();
    await call.start(P1);
    await world.work();
    await world.project();
    let embedded = 0;
    for await (const { event } of world.journal.readAll({})) if (event.type === 'GenerationRangeEmbedded') embedded += event.data.tokens;
    expect(tokens.embedded).toBe(embedded);
  });

  it('finds vectors of the model that are on the log, which need not be computed', async () => {
    const world = await aWorld();
    const call = callOf(world);
    await call.start();
    await world.work();
    await world.project();
    await call.rollBack();
    await call.retire();
    await world.indexed('c', ['seven eight']);
    expect(await call.plan()).toMatchObject({ chunks: 4, reusable: { chunks: 3, exact: true }, tokens: { texts: 8, embedded: 2 } });
  });

  it('counts chunks that the model rejects', async () => {
    const huge = aFakeEmbeddingProvider({
      version: HUGE,
      beforeAnswer: ({ texts }) => {
        if (texts.includes('six')) throw new InvalidValue('text', 'another text', 'six');
      },
    });
    expect(await callOf(await aWorld(huge)).plan()).toMatchObject({ time: { sampledChunks: 2, refused: 1 } });
  });

  it('embeds nothing without a sample, and then has no time', async () => {
    const huge = aFakeEmbeddingProvider({ version: HUGE });
    expect(await callOf(await aWorld(huge)).plan({ sample: 0 })).not.toHaveProperty('time');
    expect(huge.calls).toEqual([]);
  });

  it('is refused with the reason: a model that is unknown or cannot be reached, the current model, a scope of others', async () => {
    const away = aFakeEmbeddingProvider({ version: HUGE, beforeAnswer: () => Promise.reject(new Unavailable('the endpoint is away')) });
    const call = callOf(await aWorld(away));
    await expect(call.plan()).rejects.toThrow('the endpoint is away');
    await expect(call.plan({ embeddingVersion: 'fake:none/8' })).rejects.toThrow(InvalidValue);
    await expect(call.plan({ embeddingVersion: MINI })).rejects.toThrow(/has the model fake:mini/);
    await expect(call.latest()).rejects.toThrow(NotFound);
    const world = await aWorld();
    await expect(callOf(world, { ...ADMIN, teams: ['blue'] }).plan()).rejects.toThrow(NotFound);
    await expect(callOf(world, { ...ADMIN, roles: ['writer'] }).plan()).rejects.toThrow(Forbidden);
  });

  it('is made once at a time for a tenant', async () => {
    const call = callOf(await aWorld());
    const first = call.plan();
    await expect(call.plan()).rejects.toThrow('a plan of this tenant is being made');
    expect((await first).plan).toBe('p1');
  });

  it('of all scopes lists what it leaves out', async () => {
    const world = await aWorld();
    await world.project();
    const call = callOf(world);
    expect(await call.planAll()).toMatchObject({ plans: [{ scope, plan: 'p1' }], left: [] });
    await call.start(P1);
    expect(await call.planAll()).toMatchObject({ plans: [], left: [{ scope, reason: expect.stringMatching(/already being built/) }] });
    expect(await callOf(world, { ...ADMIN, teams: ['blue'] }).planAll()).toEqual({ plans: [], left: [] });
  });
});

describe('the plan of an installation', () => {
  const operator: Access = { tenant: tenantId('operators'), teams: [], roles: ['operator'], actor: 'key-9' };

  it('adds up the scopes of each tenant, embeds nothing and records nothing', async () => {
    const huge = aFakeEmbeddingProvider({ version: HUGE });
    const world = await aWorld(huge);
    await world.project();
    const head = await world.log.head();
    expect(await callOf(world, operator).planTenants()).toMatchObject({
      tenants: [{ tenant: SCOPE.tenant, scopes: 1, documents: 2, chunks: 3, tokens: 6 }],
      total: { scopes: 1, chunks: 3 },
    });
    expect([huge.calls, await world.log.head()]).toEqual([[], head]);
  });

  it('is for operators', async () => {
    const world = await aWorld();
    await expect(callOf(world).planTenants()).rejects.toThrow(Forbidden);
    await expect(callOf(world, operator).plan()).rejects.toThrow(Forbidden);
  });
});

describe('a swap that needs an approved plan', () => {
  it('starts once another person approved the plan', async () => {
    const world = await aWorld();
    world.requirePlan = true;
    const [ann, bob] = [callOf(world), callOf(world, OTHER)];
    await expect(ann.start()).rejects.toThrow(/need an approved plan/);
    await ann.plan({ cutover: 'manual' });
    await expect(ann.start(P1)).rejects.toThrow(/not approved yet/);
    await expect(ann.approve()).rejects.toThrow(Forbidden);
    expect((await bob.approve()).plan).toMatchObject({ approved: { by: { actor: 'key-2' } } });
    expect(await ann.start(P1)).toMatchObject({ state: 'building', swap: { cutover: 'manual', generation: { embeddingVersion: HUGE } } });
    expect(await ann.latest()).toMatchObject({ started: 'g2' });
  });

  it('is refused if the model was described otherwise when it was planned', async () => {
    const world = await aWorld();
    const call = callOf(world);
    await call.plan();
    world.described = { pricePerMillionTokens: 3 };
    await expect(call.start(P1)).rejects.toThrow(Conflict);
    await expect(call.start(planId('p2'))).rejects.toThrow(NotFound);
  });
});
