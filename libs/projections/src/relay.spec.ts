import { GROUPS, TOPICS, type Journal } from '@palimpsest/contracts';
import { pause } from '@palimpsest/foundation';
import { Unavailable } from '@palimpsest/knowledge/errors';
import type { MessageBus } from '@palimpsest/knowledge/ports';
import { DOCUMENT_RANGES } from '@palimpsest/knowledge/deciders';
import { recipeWith, UNKNOWN_ANALYSER } from '@palimpsest/knowledge/values';
import { aJournal, Crash, Faults, InMemoryCheckpoints, InMemoryEventLog } from '@palimpsest/test-kit';
import { aScenario } from '../test/fixture.ts';
import { MODELS, theDocument } from '@palimpsest/test-kit/histories';
import { holding } from '../test/held.ts';
import { Topics } from '../test/topics.ts';
import { Relay } from './relay.ts';
import type { RelayOptions } from './relay-run.ts';

/** A scenario that causes three messages for documents, one for the first generation, and one for each range of the second. */
const MESSAGES = 4 + DOCUMENT_RANGES;

const aWorld = async () => {
  const world = await aScenario();
  await world.scenario.indexed('a', { texts: ['apple'] });
  await world.scenario.submitted('b', { texts: ['berry'] });
  await world.scenario.submitted('a', { texts: ['cedar'] });
  await world.scenario.generationStarted(MODELS[1] ?? MODELS[0]);
  return world;
};

/** Runs the relay until the topics contain `count` messages. */
const relayed = async (
  log: ConstructorParameters<typeof Journal>[0],
  topics: Topics,
  checkpoints: InMemoryCheckpoints,
  count: number,
  held = holding(),
): Promise<void> => {
  const stop = new AbortController();
  const running = new Relay(aJournal(log), topics.asBus(), checkpoints, held).run(stop.signal);
  await topics.holds(count);
  stop.abort();
  await running;
};

describe('The relay', () => {
  it('publishes the work that the log requires, and nothing else', async () => {
    const { log } = await aWorld();
    const topics = new Topics();
    await relayed(log, topics, new InMemoryCheckpoints(), MESSAGES);
    const common = { tenant: 'acme', scope: 'team:red', correlationId: 'scenario' };
    expect(topics.bodies(TOPICS.ingestion)).toEqual([
      { ...common, documentId: theDocument('a'), version: 1 },
      { ...common, documentId: theDocument('b'), version: 1 },
      { ...common, documentId: theDocument('a'), version: 2 },
    ]);
    const ranges = Array.from({ length: DOCUMENT_RANGES }, (_, range) => ({ ...common, generation: 'g2', range }));
    expect(topics.bodies(TOPICS.reembedding)).toEqual([common, ...ranges]);
    const keys = (topics.published.get(TOPICS.reembedding) ?? []).map(({ key }) => key);
    expect(new Set(keys).size).toBe(keys.length);
    expect((topics.published.get(TOPICS.ingestion) ?? []).map(({ key }) => key)).toEqual(
      ['a', 'b', 'a'].map((name) => `acme/${theDocument(name)}`),
    );
  });

  it('subscribes both groups before it publishes, so that nothing is lost while no worker runs', async () => {
    const topics = new Topics();
    const stop = new AbortController();
    stop.abort();
    await new Relay(aJournal((await aWorld()).log), topics.asBus(), new InMemoryCheckpoints(), holding()).run(stop.signal);
    expect(topics.groups).toEqual([`${TOPICS.ingestion} ${GROUPS.ingestion}`, `${TOPICS.reembedding} ${GROUPS.reembedding}`]);
    expect(topics.published.size).toBe(0);
  });

  it('publishes what is appended while it runs, and continues after a restart', async () => {
    const { log, scenario } = await aWorld();
    const [topics, checkpoints] = [new Topics(), new InMemoryCheckpoints()];
    const running = relayed(log, topics, checkpoints, MESSAGES + 1);
    await scenario.submitted('c', { texts: ['dune'] });
    await running;
    topics.published.clear();
    await scenario.submitted('d', { texts: ['ember'] });
    await relayed(log, topics, checkpoints.reopened(), 1);
    expect(topics.bodies(TOPICS.ingestion).map(({ documentId }) => documentId)).toEqual([theDocument('d')]);
  });

  it('publishes each message exactly once, wherever it is killed', async () => {
    const { log } = await aWorld();
    let crashes = 0;
    for (let call = 1; call <= 8; call++) {
      const [topics, checkpoints, faults] = [new Topics(), new InMemoryCheckpoints(), new Faults(call)];
      const relay = new Relay(aJournal(log), faults.wrap(topics.asBus(), 'publish', 'lag'), faults.wrap(checkpoints, 'set'), holding(), {
        window: 2,
        pollEveryMs: 1,
        saveEveryMs: 1,
      });
      const stop = new AbortController();
      const end = await Promise.race([
        relay.run(stop.signal).catch((error: unknown) => error),
        topics.holds(MESSAGES).then(() => pause(20)),
      ]);
      if (end instanceof Crash) crashes++;
      stop.abort();
      await relayed(log, topics, checkpoints.reopened(), MESSAGES);
      const ids = [...topics.published.values()].flat().map(({ id }) => id);
      expect(ids).toHaveLength(MESSAGES);
      expect(new Set(ids).size).toBe(MESSAGES);
    }
    expect(crashes).toBeGreaterThanOrEqual(5);
  });

  it('publishes the ranges of a swap again when it is resumed, under ids that are new to the bus', async () => {
    const { log, scenario } = await aWorld();
    await scenario.scope({ type: 'Pause', reason: 'maintenance', by: 'person' });
    await scenario.scope({ type: 'Resume' });
    const topics = new Topics();
    await relayed(log, topics, new InMemoryCheckpoints(), MESSAGES + DOCUMENT_RANGES);
    const published = topics.published.get(TOPICS.reembedding) ?? [];
    expect(new Set(published.map(({ id }) => id)).size).toBe(published.length);
    expect(topics.bodies(TOPICS.reembedding).slice(-DOCUMENT_RANGES)).toEqual(
      Array.from({ length: DOCUMENT_RANGES }, (_, range) => expect.objectContaining({ scope: 'team:red', generation: 'g2', range })),
    );
  });

  it('publishes as many ranges as the swap says', async () => {
    const { log, scenario } = await aWorld();
    await scenario.scope({ type: 'Cancel' });
    const recipe = recipeWith({ version: MODELS[1] ?? MODELS[0] }, UNKNOWN_ANALYSER);
    await scenario.scope({ type: 'StartGeneration', recipe, ranges: 64 });
    const topics = new Topics();
    await relayed(log, topics, new InMemoryCheckpoints(), MESSAGES + 64);
    expect(topics.bodies(TOPICS.reembedding).slice(-64)).toEqual(
      Array.from({ length: 64 }, (_, range) => expect.objectContaining({ generation: 'g3', range })),
    );
  });

  it('fails when the bus is unavailable, and publishes everything when it runs again', async () => {
    const { log } = await aWorld();
    const [topics, checkpoints] = [new Topics(), new InMemoryCheckpoints()];
    const away = {
      subscribe: async () => {},
      publish: () => Promise.reject(new Unavailable('the bus is away')),
      lag: async () => 0,
    } as unknown as MessageBus;
    await expect(new Relay(aJournal(log), away, checkpoints, holding()).run(new AbortController().signal)).rejects.toThrow(
      'the bus is away',
    );
    await relayed(log, topics, checkpoints, MESSAGES);
  });

  it('rejects invalid options', () => {
    const relay = (options: RelayOptions) => () =>
      new Relay(aJournal(new InMemoryEventLog()), new Topics().asBus(), new InMemoryCheckpoints(), holding(), options);
    expect(relay({ maxWaiting: 0 })).toThrow('maxWaiting: expected a whole number of at least 1');
    expect(relay({ window: -1 })).toThrow('window: expected a whole number of at least 1');
    expect(relay({ saveEveryMs: NaN })).toThrow('saveEveryMs: expected');
  });
});
