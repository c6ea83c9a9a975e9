import { fingerprintOf } from '@palimpsest/contracts';
import type { Access } from '@palimpsest/knowledge/access';
import { modelsStream } from '@palimpsest/knowledge/deciders';
import { EmbeddingModelMismatch, Unavailable } from '@palimpsest/knowledge/errors';
import { UNLIMITED } from '@palimpsest/knowledge/limits';
import type { EmbeddingProvider, RecordFingerprint } from '@palimpsest/knowledge/ports';
import type { ScopeView } from '@palimpsest/knowledge/read-models';
import { CANARY_STRINGS, modelId } from '@palimpsest/knowledge/models';
import { embeddingVersion, generationId, recipeWith, tenantId, vectorScope, type EmbeddingVersion } from '@palimpsest/knowledge/values';
import { SYSTEM } from '@palimpsest/foundation';
import { Buses } from '@palimpsest/runtime';
import { aFakeEmbeddingProvider, aJournal, eventually, InMemoryEventLog, InMemoryModelRegistry } from '@palimpsest/test-kit';
import { AddedModels } from './added-models.ts';
import { AddModel, ListModels, ManageModels, RemoveModel } from './manage-models.ts';
import { TestModel, TestModels } from './test-model.ts';

const OPERATOR: Access = { tenant: tenantId('acme'), teams: ['red'], roles: ['operator', 'reader'], actor: 'key:operator' };
const ADMIN: Access = { ...OPERATOR, tenant: tenantId('other'), roles: ['admin'], actor: 'key:admin' };
const READER: Access = { ...OPERATOR, roles: ['reader'], actor: 'key:reader' };
const ENDPOINT = { openai: { baseUrl: 'http://m.internal/v1', model: 'bge', dimensions: 16, apiKeyVariable: 'MODEL_API_KEY_M' } };
const ID = modelId('openai_bge_16');
const VERSION = embeddingVersion('openai:bge/16');

/** A process on a log that others may share. */
const aProcess = async (log = new InMemoryEventLog(), registry = new InMemoryModelRegistry()) => {
  const journal = aJournal(log);
  const faults: string[] = [];
  const scopes: ScopeView[] = [];
  const added = new AddedModels({
    journal,
    providers: registry,
    system: SYSTEM,
    onFault: (error, about) => faults.push(`${about}: ${String(error)}`),
  });
  const manage = new ManageModels({
    journal,
    catalog: { scopes: async () => scopes },
    providers: registry,
    added,
    now: () => `2026-11-25T08:00:00.${String(++requests).padStart(3, '0')}Z`,
  });
  const tests = new TestModels({ providers: registry, added, system: SYSTEM });
  const buses = new Buses([...manage.handlers, ...tests.handlers], UNLIMITED);
  await added.start();
  stops.push(() => added.stop());
  const caller = (access: Access) => ({ access, correlationId: 'request-1' });
  return {
    log,
    journal,
    registry,
    faults,
    scopes,
    list: (access = OPERATOR) => buses.execute(new ListModels(caller(access), undefined)),
    add: (definition: ConstructorParameters<typeof AddModel>[1] = ENDPOINT, access = OPERATOR) =>
      buses.execute(new AddModel(caller(access), definition)),
    remove: (id = ID, access = OPERATOR) => buses.execute(new RemoveModel(caller(access), id)),
    test: (id = ID, access = OPERATOR) => buses.execute(new TestModel(caller(access), id)),
  };
};
const VECTORS = CANARY_STRINGS.map((_, i) => Buffer.from([i, 1]).toString('base64'));
/** A registry in which a test uses models for the first time. */
class RecordingRegistry extends InMemoryModelRegistry {
  record: RecordFingerprint = () => Promise.reject(new Error('nothing records fingerprints'));
  override recordFingerprints(record?: RecordFingerprint): void {
    this.record = record ?? this.record;
  }
}
const stops: (() => Promise<void>)[] = [];
/** Two identical additions in the same millisecond are one event, and both succeed; so each request of this spec has a time of its own. */
let requests = 0;
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
});

const usedBy = (
  tenant: string,
  scope: string,
  version: EmbeddingVersion,
  status: 'active' | 'standby' | 'building' = 'active',
): ScopeView => ({
  scope: { tenant: tenantId(tenant), scope: vectorScope(scope) },
  generations: [{ id: generationId('g1'), embeddingVersion: version, recipe: recipeWith({ version }), status }],
});

describe('the models of an installation', () => {
  it('are added by an operator, and every process on the log has them; the log holds no secret', async () => {
    process.env['MODEL_API_KEY_M'] = 'the-secret';
    const one = await aProcess();
    const other = await aProcess(one.log);
    await expect(one.add({ ...ENDPOINT, pricePerMillionTokens: 0.1 })).resolves.toMatchObject({
      id: ID,
      available: true,
      origin: 'operator',
    });
    await eventually('the other process has it', async () => other.registry.of(VERSION));
    await eventually('a later process has it', async () => (await aProcess(one.log)).registry.of(VERSION));
    for await (const { event } of one.journal.readStream(modelsStream())) expect(JSON.stringify(event)).not.toContain('the-secret');
    delete process.env['MODEL_API_KEY_M'];
    await other.remove();
    await eventually('it is removed everywhere', async () => (one.registry.of(VERSION) === undefined ? true : undefined));
  });

  it('are listed for every key, but addresses, limits and prices only for operators', async () => {
    const { add, list } = await aProcess();
    await add({ ...ENDPOINT, limits: { concurrency: 2 }, pricePerMillionTokens: 0.1 });
    expect((await list())[1]).toMatchObject({ limits: { concurrency: 2 }, pricePerMillionTokens: 0.1, location: 'http://m.internal/v1' });
    for (const access of [READER, ADMIN])
      expect(await list(access)).toEqual([
        { id: 'fake_built-in_8', version: 'fake:built-in/8', dimensions: 8, current: true, available: true },
        { id: ID, version: VERSION, dimensions: 16, current: false, available: true },
      ]);
  });

  it.each([
    ['a reader', READER],
    ['an admin of another tenant', ADMIN],
  ])('are not changed or tested by %s', async (_, access) => {
    const { add, remove, test, log } = await aProcess();
    await add();
    const head = await log.head();
    for (const refused of [add({ onnx: 'x' }, access), remove(ID, access), test(ID, access)])
      await expect(refused).rejects.toMatchObject({ code: 'Forbidden' });
    expect(await log.head()).toBe(head);
  });

  it('are added once, also by two operators at the same time', async () => {
    const one = await aProcess();
    const second = await aProcess(one.log);
    const outcomes = await Promise.allSettled([one.add(), second.add()]);
    expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    expect(outcomes.find(({ status }) => status === 'rejected')).toMatchObject({ reason: { code: 'Conflict' } });
    await expect(one.add()).rejects.toMatchObject({ code: 'Conflict' });
    let events = 0;
    for await (const _ of one.journal.readStream(modelsStream())) events++;
    expect(events).toBe(1);
  });

  it('have one fingerprint in all processes: the first that is recorded', async () => {
    const registries = [new RecordingRegistry(), new RecordingRegistry()];
    const [first, second] = registries as [RecordingRegistry, RecordingRegistry];
    const one = await aProcess(undefined, first);
    await aProcess(one.log, second);
    await expect(first.record(VERSION, VECTORS)).resolves.toEqual(VECTORS);
    await expect(second.record(VERSION, VECTORS.toReversed())).resolves.toEqual(VECTORS);
    await eventually('the other process knows it', async () => second.fingerprint(VERSION));
    const later = new RecordingRegistry();
    await aProcess(one.log, later);
    expect(later.fingerprint(VERSION)).toEqual(VECTORS);
  });

  it('are refused if the process cannot have them', async () => {
    const { add, log } = await aProcess();
    await expect(add({ onnx: '../etc' })).rejects.toMatchObject({ code: 'InvalidValue', field: 'onnx' });
    expect(await log.head()).toBe(0n);
  });

  it('are not removed while a scope has a generation; scopes that the caller may not read are only counted', async () => {
    const { add, remove, scopes, registry } = await aProcess();
    await add();
    scopes.push(
      usedBy('acme', 'team:red', VERSION, 'standby'),
      usedBy('acme', 'team:secret', VERSION),
      usedBy('other', 'team:hidden', VERSION, 'building'),
    );
    scopes.push(usedBy('acme', 'deployment', registry.current.version));
    await expect(remove()).rejects.toMatchObject({
      code: 'Conflict',
      message:
        'the model openai:bge/16 has generations in 3 scopes: team:red, 2 that this key may not read. Re-embed and retire them first',
    });
    scopes.splice(0, 3);
    await remove();
    await expect(remove()).rejects.toMatchObject({ code: 'NotFound' });
  });

  it('are not removed if the installation declares them', async () => {
    const { remove } = await aProcess();
    await expect(remove(modelId('fake_built-in_8'))).rejects.toMatchObject({
      code: 'Conflict',
      message: expect.stringContaining('built-in'),
    });
  });

  it('that a process cannot have are reported, do not keep it from starting, and can be removed', async () => {
    const one = await aProcess();
    await one.add();
    const broken = new InMemoryModelRegistry();
    broken.add = () => Promise.reject(new Unavailable('no such folder'));
    const other = await aProcess(one.log, broken);
    expect(other.faults).toEqual([expect.stringContaining('making the model openai:bge/16 available')]);
    expect((await other.list())[1]).toEqual({
      id: ID,
      version: VERSION,
      dimensions: 16,
      current: false,
      available: false,
      origin: 'operator',
      problem: 'no such folder',
    });
    expect((await other.list(READER))[1]).not.toHaveProperty('problem');
    await expect(other.test()).rejects.toMatchObject({ code: 'Conflict', message: expect.stringContaining('no such folder') });
    await other.remove();
    expect(await other.list()).toHaveLength(1);
  });
});

describe('the test of a model', () => {
  const withModel = async (provider: EmbeddingProvider) => {
    const started = await aProcess(new InMemoryEventLog(), new InMemoryModelRegistry(() => provider));
    await started.add();
    return started;
  };

  it('reports dimensions, speed and a digest that identifies the model', async () => {
    const { test } = await withModel(aFakeEmbeddingProvider({ version: VERSION }));
    const result = await test();
    expect(result).toMatchObject({ id: ID, version: VERSION, dimensions: 16, texts: 6, repeatable: true });
    expect(result.tokens).toBeGreaterThan(6);
    expect(result.unitLengthError).toBeLessThan(1e-5);
    expect((await test()).digest).toBe(result.digest);
    const silent = aFakeEmbeddingProvider({ version: VERSION });
    const changed = await withModel({
      ...silent,
      embed: async (texts, kind, signal) =>
        silent.embed(
          texts.map((text) => `${text} changed`),
          kind,
          signal,
        ),
    });
    expect((await changed.test()).digest).not.toBe(result.digest);
  });

  it('compares the model with its fingerprint, if it has one', async () => {
    const { test, registry } = await withModel(aFakeEmbeddingProvider({ version: VERSION }));
    expect(await test()).not.toHaveProperty('similarity');
    const made = await aFakeEmbeddingProvider({ version: VERSION }).embed(CANARY_STRINGS, 'passage');
    registry.fingerprinted(VERSION, fingerprintOf(made.map(({ vector }) => vector)));
    expect((await test()).similarity).toBeGreaterThan(0.999);
    registry.fingerprinted(VERSION, fingerprintOf(made.map(({ vector }) => vector).toReversed()));
    expect((await test()).similarity).toBeLessThan(0.9);
  });

  it('says that the width is wrong', async () => {
    const { test } = await withModel(aFakeEmbeddingProvider({ version: VERSION, answeredWidth: 3 }));
    await expect(test()).rejects.toBeInstanceOf(EmbeddingModelMismatch);
  });

  it('says to the operator why the model does not respond', async () => {
    const down = aFakeEmbeddingProvider({ version: VERSION, beforeAnswer: () => Promise.reject(new Unavailable('connection refused')) });
    const { test } = await withModel(down);
    await expect(test()).rejects.toMatchObject({ code: 'Unavailable', forCallers: true, message: 'connection refused' });
  });

  it('is refused for a model that does not exist', async () => {
    const { test } = await aProcess();
    await expect(test()).rejects.toMatchObject({ code: 'NotFound' });
  });
});
