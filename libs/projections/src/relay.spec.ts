import { GROUPS, Journal, TOPICS } from '@palimpsest/contracts';
import type { Message, MessageBus } from '@palimpsest/knowledge';
import { Crash, Faults, InMemoryCheckpoints } from '@palimpsest/test-kit';
import { aStory } from '../test/fixture.ts';
import { MODELS, theDocument } from '../test/story.ts';
import { Relay } from './relay.ts';

/** Of a bus, what the relay needs; an id that was published before is ignored, as the port promises. */
class Topics implements Pick<MessageBus, 'publish' | 'subscribe'> {
  readonly published = new Map<string, Message[]>();
  readonly groups: string[] = [];
  #waiting: (() => void)[] = [];

  async publish(topic: string, messages: readonly Message[]): Promise<void> {
    const held = this.published.get(topic) ?? [];
    held.push(...messages.filter(({ id }) => !held.some((other) => other.id === id)));
    this.published.set(topic, held);
    for (const wake of this.#waiting.splice(0)) wake();
  }

  async subscribe(topic: string, group: string): Promise<void> {
    this.groups.push(`${topic} ${group}`);
  }

  bodies(topic: string): readonly Record<string, unknown>[] {
    return (this.published.get(topic) ?? []).map(({ body }) => JSON.parse(body) as Record<string, unknown>);
  }

  /** Resolves once so many messages were published in all. */
  async holds(count: number): Promise<void> {
    while ([...this.published.values()].flat().length < count) await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }
}

/** A story that leads to five pieces of work. */
const aWorld = async () => {
  const world = await aStory();
  await world.story.indexed('a', { texts: ['apple'] });
  await world.story.submitted('b', { texts: ['berry'] });
  await world.story.submitted('a', { texts: ['cedar'] });
  await world.story.generationStarted(MODELS[1] ?? MODELS[0]);
  return world;
};

const bus = (topics: Topics): MessageBus => topics as unknown as MessageBus;

/** Runs the relay until the topics hold so many messages. */
const relayed = async (log: ConstructorParameters<typeof Journal>[0], topics: Topics, checkpoints: InMemoryCheckpoints, count: number): Promise<void> => {
  const stop = new AbortController();
  const running = new Relay(new Journal(log), bus(topics), checkpoints).run(stop.signal);
  await topics.holds(count);
  stop.abort();
  await running;
};

describe('the relay', () => {
  it('publishes the work that follows from the log, and nothing else', async () => {
    const { log } = await aWorld();
    const topics = new Topics();
    await relayed(log, topics, new InMemoryCheckpoints(), 5);
    const common = { tenant: 'acme', scope: 'team:red', correlationId: 'story' };
    expect(topics.bodies(TOPICS.ingestion)).toEqual([
      { ...common, documentId: theDocument('a'), version: 1 },
      { ...common, documentId: theDocument('b'), version: 1 },
      { ...common, documentId: theDocument('a'), version: 2 },
    ]);
    expect(topics.bodies(TOPICS.reembedding)).toEqual([common, common]);
    expect((topics.published.get(TOPICS.ingestion) ?? []).map(({ key }) => key)).toEqual(['a', 'b', 'a'].map((name) => `acme/${theDocument(name)}`));
  });

  it('makes both groups known before it publishes, so that nothing is lost while no worker runs', async () => {
    const topics = new Topics();
    const stop = new AbortController();
    stop.abort();
    await new Relay(new Journal((await aWorld()).log), bus(topics), new InMemoryCheckpoints()).run(stop.signal);
    expect(topics.groups).toEqual([`${TOPICS.ingestion} ${GROUPS.ingestion}`, `${TOPICS.reembedding} ${GROUPS.reembedding}`]);
    expect(topics.published.size).toBe(0);
  });

  it('goes over to what is appended while it runs, and goes on where it was after a restart', async () => {
    const { log, story } = await aWorld();
    const [topics, checkpoints] = [new Topics(), new InMemoryCheckpoints()];
    const running = relayed(log, topics, checkpoints, 6);
    await story.submitted('c', { texts: ['dune'] });
    await running;
    topics.published.clear();
    await story.submitted('d', { texts: ['ember'] });
    await relayed(log, topics, checkpoints.reopened(), 1);
    expect(topics.bodies(TOPICS.ingestion).map(({ documentId }) => documentId)).toEqual([theDocument('d')]);
  });

  it('publishes each piece of work exactly once, wherever it is killed', async () => {
    const { log } = await aWorld();
    for (let call = 1; call <= 6; call++) {
      const [topics, checkpoints, faults] = [new Topics(), new InMemoryCheckpoints(), new Faults(call)];
      const relay = new Relay(new Journal(log), faults.wrap(bus(topics), 'publish'), faults.wrap(checkpoints, 'set'));
      const stop = new AbortController();
      const end = await Promise.race([relay.run(stop.signal).catch((error: unknown) => error), topics.holds(5).then(() => new Promise((resolve) => setTimeout(resolve, 5)))]);
      if (call <= 3) expect(end).toBeInstanceOf(Crash);
      stop.abort();
      await relayed(log, topics, checkpoints.reopened(), 5);
      const ids = [...topics.published.values()].flat().map(({ id }) => id);
      expect(ids).toHaveLength(5);
      expect(new Set(ids).size).toBe(5);
    }
  });
});
