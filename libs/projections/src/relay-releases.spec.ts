import { TOPICS } from '@palimpsest/contracts';
import { pause } from '@palimpsest/foundation';
import { knowledgeBase, knowledgeBaseStream } from '@palimpsest/knowledge/deciders';
import type { WaitingDocument } from '@palimpsest/knowledge/read-models';
import { position, vectorScope, type KnowledgeBaseId, type Position, type TenantId } from '@palimpsest/knowledge/values';
import { aJournal, Crash, Faults, InMemoryCheckpoints } from '@palimpsest/test-kit';
import { aScenario } from '../test/fixture.ts';
import { holding } from '../test/held.ts';
import { BASE, SCOPE, theDocument } from '@palimpsest/test-kit/histories';
import { Topics } from '../test/topics.ts';
import { CatalogHeldDocuments, type HeldDocuments } from './held-documents.ts';
import { Relay } from './relay.ts';

const waiting = (name: string): WaitingDocument => ({
  documentId: theDocument(name),
  scope: vectorScope('team:red'),
  version: 3,
  submittedAt: '2026-01-01T00:00:00.000Z',
});
const HELD = ['h1', 'h2', 'h3'].map(waiting);

/** Two documents, a pause and a resumption of the knowledge base, and one more document. */
const aWorld = async () => {
  const world = await aScenario();
  await world.scenario.submitted('a', { texts: ['apple'] });
  await world.scenario.submitted('b', { texts: ['berry'] });
  const journal = aJournal(world.log);
  const metadata = { ...SCOPE, actor: 'spec', correlationId: 'resuming' };
  for (const type of ['Pause', 'Resume'] as const)
    await journal.execute(
      knowledgeBase,
      knowledgeBaseStream(SCOPE.tenant, BASE),
      { type, id: BASE, now: '2026-01-01T00:00:00.000Z' },
      metadata,
    );
  const resumedAt = await world.log.head();
  await world.scenario.submitted('c', { texts: ['cedar'] });
  return { ...world, journal, resumedAt };
};

const ids = (topics: Topics): readonly unknown[] => topics.bodies(TOPICS.ingestion).map(({ documentId }) => documentId);

describe('A knowledge base that is resumed', () => {
  it('has its held documents published, in order, under ids that are new to the bus', async () => {
    const { journal, resumedAt } = await aWorld();
    const [topics, stop] = [new Topics(), new AbortController()];
    const running = new Relay(journal, topics.asBus(), new InMemoryCheckpoints(), holding(HELD)).run(stop.signal);
    // The generation of the scope is also a message.
    await topics.holds(7);
    stop.abort();
    await running;
    expect(ids(topics).filter((id) => HELD.some(({ documentId }) => documentId === id))).toEqual(HELD.map(({ documentId }) => documentId));
    expect([...ids(topics)].sort()).toEqual(['a', 'b', 'c', 'h1', 'h2', 'h3'].map(theDocument).sort());
    const released = topics.bodies(TOPICS.ingestion).filter(({ resumedAt: at }) => at !== undefined);
    expect(released).toHaveLength(3);
    expect(released[0]).toEqual({
      tenant: 'acme',
      scope: 'team:red',
      documentId: theDocument('h1'),
      version: 3,
      correlationId: 'resuming',
      resumedAt: String(resumedAt),
    });
    const published = [...topics.published.values()].flat().map(({ id }) => id);
    expect(new Set(published).size).toBe(published.length);
  });

  it('delays no other documents while the catalog does not know yet what waits', async () => {
    const { journal } = await aWorld();
    const [topics, stop] = [new Topics(), new AbortController()];
    const never: HeldDocuments = {
      async *waiting(_tenant, _id, _since, signal) {
        await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
        yield [];
      },
    };
    const checkpoints = new InMemoryCheckpoints();
    const running = new Relay(journal, topics.asBus(), checkpoints, never).run(stop.signal);
    await topics.holds(4);
    stop.abort();
    await running;
    expect(ids(topics)).toEqual(['a', 'b', 'c'].map(theDocument));
    // The next relay releases what this one did not.
    const [again, stopAgain] = [new Topics(), new AbortController()];
    const next = new Relay(journal, again.asBus(), checkpoints.reopened(), holding(HELD)).run(stopAgain.signal);
    await again.holds(4);
    stopAgain.abort();
    await next;
    expect([...ids(again)].sort()).toEqual(['c', 'h1', 'h2', 'h3'].map(theDocument).sort());
  });

  it('has each held document released once, wherever the relay is killed', async () => {
    const { log } = await aWorld();
    let crashes = 0;
    for (let call = 1; call <= 14; call++) {
      const [topics, checkpoints, faults] = [new Topics(), new InMemoryCheckpoints(), new Faults(call)];
      const relay = new Relay(
        aJournal(log),
        faults.wrap(topics.asBus(), 'publish', 'lag'),
        faults.wrap(checkpoints, 'set'),
        faults.wrap(holding(HELD)),
        { window: 1, pollEveryMs: 1, saveEveryMs: 1 },
      );
      const stop = new AbortController();
      const end = await Promise.race([relay.run(stop.signal).catch((error: unknown) => error), topics.holds(7).then(() => undefined)]);
      if (end instanceof Crash) crashes++;
      stop.abort();
      const [rest, again] = [new AbortController(), new Relay(aJournal(log), topics.asBus(), checkpoints.reopened(), holding(HELD))];
      const running = again.run(rest.signal);
      await topics.holds(7);
      rest.abort();
      await running;
      expect([...ids(topics)].sort()).toEqual(['a', 'b', 'c', 'h1', 'h2', 'h3'].map(theDocument).sort());
    }
    expect(crashes).toBeGreaterThanOrEqual(5);
  });
});

describe('The held documents', () => {
  it('are read once the catalog has reached the resumption, page by page, each once', async () => {
    const asked: unknown[] = [];
    let reached = false;
    const all = Array.from({ length: 2_500 }, (_, i) => waiting(`d${i}`));
    const catalog = {
      waitingDocuments: async (tenant: TenantId, id: KnowledgeBaseId, limit: number, after?: Pick<WaitingDocument, 'documentId'>) => {
        asked.push([tenant, id, reached]);
        const from = after === undefined ? 0 : all.findIndex(({ documentId }) => documentId === after.documentId) + 1;
        return all.slice(from, from + limit);
      },
    };
    const readModels = {
      reached: async (at: Position) => {
        await pause(1);
        return (reached = at === position('7'));
      },
    };
    const listed: WaitingDocument[] = [];
    for await (const page of new CatalogHeldDocuments(catalog, readModels).waiting(
      SCOPE.tenant,
      BASE,
      position('7'),
      new AbortController().signal,
    ))
      listed.push(...page);
    expect(listed).toEqual(all);
    expect(asked).toEqual([1, 2, 3, 4].map(() => ['acme', BASE, true]));
  });
});
