import { Journal, sealBlob, sealing } from '@palimpsest/contracts';
import { SYSTEM } from '@palimpsest/foundation';
import { document, documentStream, scope as scopeDecider, scopeStream } from '@palimpsest/knowledge/deciders';
import type { Submission } from '@palimpsest/knowledge/events';
import { Conflict } from '@palimpsest/knowledge/errors';
import { blobKey, ScopeKeyDestroyed } from '@palimpsest/knowledge/ports';
import { subjectId, type SubjectKey } from '@palimpsest/knowledge/subjects';
import {
  documentId,
  embeddingVersion,
  knowledgeBaseId,
  recipeWith,
  sha256,
  sourceId,
  tenantId,
  vectorScope,
  type TenantScope,
} from '@palimpsest/knowledge/values';
import { checkReceipt } from '@palimpsest/proofs';
import { InMemoryBlobStore, InMemoryEventLog, InMemoryScopeKeys, inMemorySigner } from '@palimpsest/test-kit';
import { EraseSubject } from './erase-subject.ts';

const tenant = tenantId('acme');
const RED: TenantScope = { tenant, scope: vectorScope('team:red') };
const BLUE: TenantScope = { tenant, scope: vectorScope('team:blue') };
const [ANN, BOB] = [subjectId('ann@example.org'), subjectId('bob')];
const BY = { actor: 'key:ci', correlationId: 'r-1' };
const NOW = '2026-11-28T08:00:00.000Z';
const SIGNAL = new AbortController().signal;

/** As if the process was killed there. */
class Killed extends Error {}

const aWorld = async () => {
  const [log, keys, blobs] = [new InMemoryEventLog(), new InMemoryScopeKeys(), new InMemoryBlobStore()];
  const journal = new Journal(log, keys);
  for (const place of [RED, BLUE]) {
    const command = { type: 'Open', scope: place.scope, recipe: recipeWith({ version: embeddingVersion('fake:a/4') }), now: NOW } as const;
    await journal.execute(scopeDecider, scopeStream(place), command, { ...place, ...BY });
  }
  const submit = async (place: TenantScope, digit: string, subject?: SubjectKey, person = ANN) => {
    const [id, of] = [documentId(digit.repeat(32)), sealing(place, subject)];
    const blob = blobKey(`documents/${digit}`);
    const hash = sha256(digit.repeat(64));
    const submission: Submission = {
      ...{
        knowledgeBase: knowledgeBaseId('default'),
        sourceId: sourceId(`${digit}.md`),
        blob,
        bytes: 4,
        checksum: hash,
        fingerprint: hash,
      },
      ...{ labels: {}, origin: 'UserContent' },
      ...(subject === undefined ? {} : { subject: person }),
    };
    await blobs.put(blob, sealBlob(await keys.cipher(of), blob, Buffer.from('text')));
    const command = { type: 'Submit', documentId: id, submission, now: NOW } as const;
    await journal.execute(document, documentStream(tenant, id), command, { ...of, ...BY });
  };
  const [ann, bob] = [await keys.subjects.of(tenant, ANN), await keys.subjects.of(tenant, BOB)];
  await submit(RED, 'a', ann);
  await submit(BLUE, 'b', ann);
  await submit(RED, 'c', bob, BOB);
  await submit(RED, 'd');
  let [calls, killAt] = [0, Infinity];
  const step = async <T>(run: () => Promise<T>): Promise<T> => {
    if (++calls === killAt) throw new Killed('killed');
    return run();
  };
  const [append, remove] = [log.append.bind(log), blobs.delete.bind(blobs)];
  const { forget, destroy } = keys.subjects;
  log.append = (...args) => step(() => append(...args));
  blobs.delete = (key) => step(() => remove(key));
  Object.assign(keys.subjects, {
    forget: (...args: Parameters<typeof forget>) => step(() => forget(...args)),
    destroy: (of: Parameters<typeof destroy>[0]) => step(() => destroy(of)),
  });
  const steps = new EraseSubject({
    ...{ journal, keys, blobs, signer: inMemorySigner(), system: SYSTEM, purgeMinutes: 15 },
    bus: { deadLetters: async () => [], discardDeadLetter: async () => true },
    readModels: { reached: async () => true },
    purgeReadModels: () => step(async () => undefined),
    pastViews: { forget: () => step(async () => undefined) },
    embeddings: { forget: () => step(async () => undefined) },
  });
  const of = { tenant, subject: ann };
  return {
    ...{ log, journal, keys, blobs, steps, of, ann, bob, submit },
    run: async (kill = Infinity) => {
      [calls, killAt] = [0, kill];
      if ((await steps.load(of)).state.state === 'none') await steps.request(of, SIGNAL, BY);
      await steps.run(of, SIGNAL);
    },
    calls: () => calls,
    statusOf: async (digit: string) => (await journal.load(document, documentStream(tenant, documentId(digit.repeat(32))))).state.status,
    state: async () => (await steps.load(of)).state,
  };
};

describe('The erasure of a data subject', () => {
  it('deletes their documents in every scope, destroys their key, removes the uploads, and gives a valid receipt; others keep theirs', async () => {
    const { run, state, statusOf, keys, blobs, ann, bob } = await aWorld();
    await run();
    expect(await Promise.all(['a', 'b', 'c', 'd'].map(statusOf))).toEqual(['deleted', 'deleted', 'pending', 'pending']);
    await expect(keys.cipher({ ...RED, subject: ann })).rejects.toThrow(ScopeKeyDestroyed);
    await expect(keys.cipher({ ...RED, subject: bob })).resolves.toBeDefined();
    expect(await Promise.all(['a', 'b', 'c', 'd'].map((digit) => blobs.exists(blobKey(`documents/${digit}`))))).toEqual([
      false,
      false,
      true,
      true,
    ]);
    expect(await keys.subjects.find(tenant, ANN)).toBeUndefined();
    const { receipt = '', ...about } = await state();
    expect(about).toMatchObject({ state: 'completed', documents: 2, scopes: ['team:blue', 'team:red'] });
    const parsed = JSON.parse(receipt) as object;
    expect(checkReceipt(parsed)).toEqual({ receipt: parsed });
    expect(parsed).toMatchObject({ subject: ann, scopes: ['team:blue', 'team:red'], unreadable: { documents: 2, passages: 0 } });
    expect(receipt).not.toContain('ann@');
  });

  it('leaves placeholders in the events about the person', async () => {
    const { run, journal } = await aWorld();
    await run();
    const titles: unknown[] = [];
    for await (const { event } of journal.readAll({ types: ['DocumentSubmitted'] }))
      if (event.type === 'DocumentSubmitted') titles.push([event.data.sourceId, event.data.subject]);
    expect(titles).toEqual([
      ['erased', undefined],
      ['erased', undefined],
      ['c.md', BOB],
      ['d.md', undefined],
    ]);
  });

  it('goes on after a kill at any of its steps, with the same result', async () => {
    const whole = await aWorld();
    await whole.run();
    const [steps, { receipt = '' }] = [whole.calls(), await whole.state()];
    const { unreadable } = JSON.parse(receipt) as { unreadable: { records: number } };
    expect(steps).toBeGreaterThan(9);
    for (let kill = 1; kill <= steps; kill++) {
      const world = await aWorld();
      await expect(world.run(kill)).rejects.toThrow(Killed);
      await world.run();
      const state = await world.state();
      expect([kill, state.state, await world.keys.subjects.find(tenant, ANN)]).toEqual([kill, 'completed', undefined]);
      const parsed = JSON.parse(state.receipt ?? '') as { unreadable: { records: number } };
      expect(checkReceipt(parsed)).toEqual({ receipt: parsed });
      expect(parsed.unreadable.records).toBe(unreadable.records);
    }
  });

  it('is refused while a scope with a document about the person is held', async () => {
    const { steps, journal, keys, of } = await aWorld();
    await journal.execute(
      scopeDecider,
      scopeStream(BLUE),
      { type: 'Hold', scope: BLUE.scope, reason: 'case 17', now: NOW },
      { ...BLUE, ...BY },
    );
    await expect(steps.request(of, SIGNAL, BY)).rejects.toThrow(Conflict);
    expect(await keys.subjects.find(tenant, ANN)).toBe(of.subject);
  });

  it('is requested for a person whose key is destroyed without one, as in a restored backup', async () => {
    const { steps, keys, of, statusOf } = await aWorld();
    await keys.subjects.destroy(of);
    await steps.adopt();
    await steps.run(of, SIGNAL);
    await steps.adopt();
    expect([(await steps.load(of)).state.state, await statusOf('a')]).toEqual(['completed', 'deleted']);
  });

  it('gives a person who comes back another key', async () => {
    const { run, keys, ann, submit, statusOf } = await aWorld();
    await run();
    const again = await keys.subjects.of(tenant, ANN);
    expect(again).not.toBe(ann);
    await submit(RED, 'e', again);
    await run();
    expect(await statusOf('e')).toBe('pending');
  });
});
