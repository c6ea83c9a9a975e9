import { Journal } from '@palimpsest/contracts';
import { SYSTEM } from '@palimpsest/foundation';
import { scope as scopeDecider, scopeStream, tenant as tenantDecider, tenantStream } from '@palimpsest/knowledge/deciders';
import { Conflict } from '@palimpsest/knowledge/errors';
import { ScopeKeyDestroyed } from '@palimpsest/knowledge/ports';
import { subjectId } from '@palimpsest/knowledge/subjects';
import { embeddingVersion, recipeWith, tenantId, vectorScope, type TenantScope } from '@palimpsest/knowledge/values';
import { checkReceipt } from '@palimpsest/proofs';
import { InMemoryBlobStore, InMemoryEventLog, InMemoryScopeKeys, inMemorySigner } from '@palimpsest/test-kit';
import { EraseScope } from './erase-scope.ts';
import { EraseTenant } from './erase-tenant.ts';

const [ACME, OTHER] = [tenantId('acme'), tenantId('other')];
const RED: TenantScope = { tenant: ACME, scope: vectorScope('team:red') };
const ANN: TenantScope = { tenant: ACME, scope: vectorScope('user:ann') };
const THEIRS: TenantScope = { tenant: OTHER, scope: vectorScope('team:red') };
const BY = { actor: 'key:op', correlationId: 'r-1' };
const NOW = '2026-11-28T08:00:00.000Z';
const SIGNAL = new AbortController().signal;

/** As if the process was killed there. */
class Killed extends Error {}

const aWorld = async () => {
  const [log, keys] = [new InMemoryEventLog(), new InMemoryScopeKeys()];
  const journal = new Journal(log, keys);
  for (const place of [RED, ANN, THEIRS]) {
    const command = { type: 'Open', scope: place.scope, recipe: recipeWith({ version: embeddingVersion('fake:a/4') }), now: NOW } as const;
    await journal.execute(scopeDecider, scopeStream(place), command, { ...place, ...BY });
    await keys.cipher(place);
  }
  for (const tenant of [ACME, OTHER]) {
    const key = { keyId: 'key-1', name: 'CI', hash: 'a'.repeat(64), teams: ['*'], roles: ['admin'] as const };
    await journal.execute(tenantDecider, tenantStream(tenant), { type: 'IssueKey', key, now: NOW }, { tenant, ...BY });
    await keys.subjects.of(tenant, subjectId('ann'));
  }
  let [calls, killAt] = [0, Infinity];
  const append = log.append.bind(log);
  const destroy = keys.destroy.bind(keys);
  const step = async <T>(run: () => Promise<T>): Promise<T> => {
    if (++calls === killAt) throw new Killed('killed');
    return run();
  };
  log.append = (...args) => step(() => append(...args));
  keys.destroy = (of) => step(() => destroy(of));
  const stores = {
    ...{ journal, keys, blobs: new InMemoryBlobStore(), signer: inMemorySigner(), system: SYSTEM, purgeMinutes: 15 },
    bus: { deadLetters: async () => [], discardDeadLetter: async () => true },
    readModels: { reached: async () => true },
    purgeReadModels: async () => undefined,
    embeddings: { forget: async () => undefined },
  };
  const steps = new EraseTenant(stores, new EraseScope(stores));
  return {
    ...{ journal, keys, steps },
    run: async (kill = Infinity) => {
      [calls, killAt] = [0, kill];
      await steps.request(ACME, BY);
      await steps.run(ACME, SIGNAL);
    },
    calls: () => calls,
  };
};

describe('The erasure of a tenant', () => {
  it('erases all of its scopes, revokes its keys, forgets its persons and gives a valid receipt; other tenants keep theirs', async () => {
    const { run, steps, keys } = await aWorld();
    await run();
    for (const place of [RED, ANN]) await expect(keys.cipher(place)).rejects.toThrow(ScopeKeyDestroyed);
    await expect(keys.cipher(THEIRS)).resolves.toBeDefined();
    expect([await keys.subjects.find(ACME, subjectId('ann')), await keys.subjects.find(OTHER, subjectId('ann'))]).toEqual([
      undefined,
      expect.any(String),
    ]);
    const { state } = await steps.load(ACME);
    expect([...state.keys.values(), ...(await steps.load(OTHER)).state.keys.values()]).toEqual(['revoked', 'valid']);
    const receipt = JSON.parse(state.erasure?.receipt ?? '') as object;
    expect(checkReceipt(receipt)).toEqual({ receipt });
    expect(receipt).toMatchObject({ tenant: 'acme', scopes: ['team:red', 'user:ann'] });
    expect(checkReceipt({ ...receipt, scopes: ['team:red'] })).toMatchObject({ problems: expect.any(Array) });
  });

  it('goes on after a kill at any of its steps', async () => {
    const whole = await aWorld();
    await whole.run();
    expect(whole.calls()).toBeGreaterThan(9);
    for (let kill = 1; kill <= whole.calls(); kill++) {
      const world = await aWorld();
      await expect(world.run(kill)).rejects.toThrow(Killed);
      await world.run();
      expect([kill, (await world.steps.load(ACME)).state.erasure?.state]).toEqual([kill, 'completed']);
    }
  });

  it('is refused while one of its scopes is held', async () => {
    const { steps, journal } = await aWorld();
    await journal.execute(
      scopeDecider,
      scopeStream(ANN),
      { type: 'Hold', scope: ANN.scope, reason: 'case 17', now: NOW },
      { ...ANN, ...BY },
    );
    await expect(steps.request(ACME, BY)).rejects.toThrow(Conflict);
    expect((await steps.load(ACME)).state.erasure).toBeUndefined();
  });
});
