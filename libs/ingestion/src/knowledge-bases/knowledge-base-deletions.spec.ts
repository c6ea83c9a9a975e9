import { knowledgeBase, knowledgeBaseStream } from '@palimpsest/knowledge/deciders';
import { Conflict, NotFound } from '@palimpsest/knowledge/errors';
import { knowledgeBaseId, sourceId, type DocumentId } from '@palimpsest/knowledge/values';
import { followedCatalog } from '../../test/followed-catalog.ts';
import { BASE, sections, SCOPE, World, WRITER } from '../../test/world.ts';
import { KnowledgeBaseDeletions } from './knowledge-base-deletions.ts';

const OTHER = knowledgeBaseId('other');
const OF = { tenant: SCOPE.tenant, id: BASE };

/** As if the process was killed there. */
class Killed extends Error {}

/** Two indexed documents and one that waits in the knowledge base, and one in another. */
const aWorld = async () => {
  const world = await new World().begin();
  const { settings } = await world.knowledgeBases.writable(WRITER, BASE);
  await world.knowledgeBases.create(WRITER, { id: OTHER, scope: SCOPE.scope, settings }, 'request-0');
  const { documentId: first } = await world.index(sections('Apple'), { sourceId: sourceId('a.md') });
  const { documentId: second } = await world.index(sections('Berry'), { sourceId: sourceId('b.md') });
  const waiting = await world.submit(sections('Cedar'), { sourceId: sourceId('c.md') });
  const kept = await world.index(sections('Apple'), { knowledgeBase: OTHER });
  const { catalog, follow } = followedCatalog(world);
  await follow();
  let [calls, killAt] = [0, Infinity];
  const append = world.log.append.bind(world.log);
  world.log.append = async (...args) => {
    if (++calls === killAt) throw new Killed('killed');
    return append(...args);
  };
  const deletions = new KnowledgeBaseDeletions({
    journal: world.journal,
    catalog,
    readModels: { reached: async () => (await follow(), true) },
    leases: { join: () => Promise.reject(new Error('not used')), close: () => Promise.resolve() },
    now: world.now,
    onFault: (error) => {
      throw error;
    },
    system: { scheduler: { after: () => () => undefined } } as never,
  });
  const run = (kill = Infinity): Promise<void> => {
    [calls, killAt] = [0, kill];
    return deletions.run(OF, new AbortController().signal);
  };
  const status = async () => (await world.journal.load(knowledgeBase, knowledgeBaseStream(OF.tenant, OF.id))).state.status;
  const states = async (...ids: readonly DocumentId[]) => Promise.all(ids.map(async (id) => (await world.state(id)).status));
  return { world, catalog, follow, run, status, states, first, second, waiting, kept, calls: () => calls };
};
const requested = async () => {
  const made = await aWorld();
  await made.world.knowledgeBases.remove(WRITER, BASE, 'request-1');
  return made;
};

describe('the deletion of a knowledge base', () => {
  it('deletes all its documents, then itself, and nothing else', async () => {
    const { run, status, states, first, second, waiting, kept, catalog, follow, world } = await requested();
    await run();
    await follow();
    expect(await status()).toBe('deleted');
    expect(await states(first, second, waiting.documentId, kept.documentId)).toEqual(['deleted', 'deleted', 'deleted', 'indexed']);
    expect(await catalog.use(SCOPE.tenant)).toMatchObject({ documents: 1, knowledgeBases: 1 });
    await expect(world.knowledgeBases.remove(WRITER, BASE, 'request-2')).rejects.toThrow(NotFound);
    await expect(world.submit(sections('Apple'))).rejects.toThrow(NotFound);
  });

  it('goes on after a kill at any of its steps, with the same result', async () => {
    const whole = await requested();
    await whole.run();
    const steps = whole.calls();
    expect(steps).toBe(4);
    for (let kill = 1; kill <= steps; kill++) {
      const { run, status, states, first, second, waiting } = await requested();
      await expect(run(kill)).rejects.toThrow(Killed);
      expect(await status()).toBe('deleting');
      await run();
      expect([kill, await status(), ...(await states(first, second, waiting.documentId))]).toEqual([
        kill,
        ...['deleted', 'deleted', 'deleted', 'deleted'],
      ]);
    }
  });

  it('is done once: a second run, and a run that was not requested, change nothing', async () => {
    const { run, world, status } = await aWorld();
    const before = await world.log.head();
    await run();
    expect([await world.log.head(), await status()]).toEqual([before, 'active']);
    await world.knowledgeBases.remove(WRITER, BASE, 'request-1');
    await run();
    const head = await world.log.head();
    await run();
    expect(await world.log.head()).toBe(head);
  });

  it('refuses documents from the request on', async () => {
    const { world, first } = await requested();
    const refused = new Conflict('knowledge base "handbook" is being deleted and accepts no more documents');
    await expect(world.submit(sections('Dill'))).rejects.toThrow(refused);
    await expect(world.submitDocument.retry(WRITER, first, 'r')).rejects.toThrow(refused);
  });

  it('deletes a document that was accepted in the same moment when it is processed', async () => {
    const { run, world, states, status } = await aWorld();
    const put = world.blobs.put.bind(world.blobs);
    world.blobs.put = async (...args) => {
      await world.knowledgeBases.remove(WRITER, BASE, 'request-1');
      await run();
      return put(...args);
    };
    const late = await world.submit(sections('Elder'), { sourceId: sourceId('e.md') });
    expect([await status(), ...(await states(late.documentId))]).toEqual(['deleted', 'pending']);
    await world.process(late);
    expect(await world.types(late.documentId)).toEqual(['DocumentSubmitted', 'DocumentDeleted']);
  });

  it('ends the processing of a document', async () => {
    const { run, world, states, waiting } = await requested();
    world.parser.before = () => run();
    await world.process(waiting);
    expect(await states(waiting.documentId)).toEqual(['deleted']);
  });

  it('is not for the default knowledge base', async () => {
    const { world } = await aWorld();
    const id = knowledgeBaseId('default');
    await world.knowledgeBases.accepting(WRITER, id, 'request-1');
    await expect(world.knowledgeBases.remove(WRITER, id, 'request-1')).rejects.toThrow(
      /takes documents that name none, and is not deleted/,
    );
  });
});
