import { Journal, sealBlob } from '@palimpsest/contracts';
import { SYSTEM } from '@palimpsest/foundation';
import { scope as decider, scopeStream } from '@palimpsest/knowledge/deciders';
import { blobKey, ScopeKeyDestroyed, streamName } from '@palimpsest/knowledge/ports';
import { embeddingVersion, recipeWith, tenantId, vectorScope, type TenantScope } from '@palimpsest/knowledge/values';
import { checkReceipt } from '@palimpsest/proofs';
import { InMemoryBlobStore, InMemoryEventLog, InMemoryScopeKeys, inMemorySigner } from '@palimpsest/test-kit';
import { EraseScope } from './erase-scope.ts';

const RED: TenantScope = { tenant: tenantId('acme'), scope: vectorScope('team:red') };
const BLUE: TenantScope = { tenant: tenantId('acme'), scope: vectorScope('team:blue') };
const BY = { actor: 'key:ci', correlationId: 'r-1' };
const NOW = '2026-11-28T08:00:00.000Z';
const ERASURE = '0f8fad5b-d9cb-469f-a165-70867728950e';

/** As if the process was killed there. */
class Killed extends Error {}

const aWorld = async () => {
  const [log, keys, blobs] = [new InMemoryEventLog(), new InMemoryScopeKeys(), new InMemoryBlobStore()];
  const journal = new Journal(log, keys);
  const discarded: string[] = [];
  for (const place of [RED, BLUE]) {
    const command = { type: 'Open', scope: place.scope, recipe: recipeWith({ version: embeddingVersion('fake:a/4') }), now: NOW } as const;
    await journal.execute(decider, scopeStream(place), command, { ...place, ...BY });
    const upload = blobKey(`documents/${place.scope.replace(':', '-')}`);
    await blobs.put(upload, sealBlob(await keys.cipher(place), upload, Buffer.from('text')));
    const data = { documentId: 'd'.repeat(32), version: 1, blob: upload };
    const event = { id: `00000000-0000-4000-8000-00000000000${place === RED ? 1 : 2}`, type: 'DocumentSubmitted', data };
    await log.append(streamName('document', place.scope), [{ ...event, metadata: { ...place } }], 'no-stream');
  }
  const request = { type: 'RequestErasure', scope: RED.scope, erasure: ERASURE, now: NOW } as const;
  await journal.execute(decider, scopeStream(RED), request, { ...RED, ...BY });
  const body = (of: TenantScope) => JSON.stringify({ ...of, documentId: 'd'.repeat(32), version: 1, correlationId: 'r' });
  const letters = [RED, BLUE].map((of, n) => ({ id: String(n), message: { id: '', key: '', headers: {}, body: body(of) } }));
  let [calls, killAt] = [0, Infinity];
  const step = async <T>(run: () => Promise<T>): Promise<T> => {
    if (++calls === killAt) throw new Killed('killed');
    return run();
  };
  const [append, destroy, remove] = [log.append.bind(log), keys.destroy.bind(keys), blobs.delete.bind(blobs)];
  log.append = (...args) => step(() => append(...args));
  keys.destroy = (of) => step(() => destroy(of));
  blobs.delete = (key) => step(() => remove(key));
  const steps = () =>
    new EraseScope({
      journal,
      keys,
      blobs,
      bus: {
        deadLetters: async () => letters as never,
        discardDeadLetter: (id) => step(async () => Boolean(discarded.push(id))),
      },
      readModels: { reached: async () => true },
      purgeReadModels: () => step(async () => undefined),
      pastViews: { forget: () => step(async () => undefined) },
      embeddings: { forget: () => step(async () => undefined) },
      signer: inMemorySigner(),
      system: SYSTEM,
      purgeMinutes: 15,
    });
  return {
    ...{ log, journal, keys, blobs, discarded, steps },
    run: (kill = Infinity) => {
      [calls, killAt] = [0, kill];
      return steps().run(RED, new AbortController().signal);
    },
    calls: () => calls,
    state: async () => (await steps().load(RED)).state.erasure,
  };
};

describe('The erasure of a scope', () => {
  it('destroys its key, removes its uploads and failed jobs, and gives a valid receipt; other scopes keep theirs', async () => {
    const { run, state, keys, blobs, discarded } = await aWorld();
    await run();
    await expect(keys.cipher(RED)).rejects.toThrow(ScopeKeyDestroyed);
    await expect(keys.cipher(BLUE)).resolves.toBeDefined();
    expect([await blobs.exists(blobKey('documents/team-red')), await blobs.exists(blobKey('documents/team-blue'))]).toEqual([false, true]);
    expect(discarded).toEqual(['0']);
    const { receipt = '', ...about } = (await state()) ?? {};
    expect(about).toMatchObject({ erasure: ERASURE, state: 'completed' });
    const parsed = JSON.parse(receipt) as object;
    expect(checkReceipt(parsed)).toEqual({ receipt: parsed });
    expect(parsed).toMatchObject({ tenant: 'acme', scope: 'team:red', unreadable: { documents: 1, passages: 0 } });
  });

  it('goes on after a kill at any of its steps, with the same result', async () => {
    const whole = await aWorld();
    await whole.run();
    const [steps, { receipt = '' } = {}] = [whole.calls(), await whole.state()];
    const { unreadable } = JSON.parse(receipt) as { unreadable: object };
    expect(steps).toBeGreaterThan(6);
    for (let kill = 1; kill <= steps; kill++) {
      const world = await aWorld();
      await expect(world.run(kill)).rejects.toThrow(Killed);
      await world.run();
      const erasure = await world.state();
      expect([kill, erasure?.state, world.discarded[0]]).toEqual([kill, 'completed', '0']);
      const parsed = JSON.parse(erasure?.receipt ?? '') as { unreadable: { records: number } };
      expect(checkReceipt(parsed)).toEqual({ receipt: parsed });
      expect(parsed.unreadable.records).toBe((unreadable as { records: number }).records);
    }
  });

  it('is requested for a scope whose key is destroyed without one, as in a restored backup, also if the scope was held there', async () => {
    const { steps, journal, keys } = await aWorld();
    await journal.execute(decider, scopeStream(BLUE), { type: 'Hold', scope: BLUE.scope, reason: 'case 17', now: NOW }, { ...BLUE, ...BY });
    await keys.destroy(BLUE);
    await steps().adopt();
    const { state } = await steps().load(BLUE);
    expect([state.erasure?.state, state.hold]).toEqual(['requested', undefined]);
    await steps().run(BLUE, new AbortController().signal);
    await steps().adopt();
    expect((await steps().load(BLUE)).state.erasure?.state).toBe('completed');
  });

  it('is complete once: a second run changes nothing', async () => {
    const { run, log } = await aWorld();
    await run();
    const head = await log.head();
    await run();
    expect(await log.head()).toBe(head);
  });
});
