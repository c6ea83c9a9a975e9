import { jest } from '@jest/globals';
import { GROUPS, TOPICS } from '@palimpsest/contracts';
import { Overloaded, position } from '@palimpsest/knowledge';
import { Backlog } from './backlog.ts';

/** What the backlog takes for the time, in milliseconds: however long a test takes on a busy machine, a count is as old as it says. */
let clock = 0;
beforeEach(() => void jest.spyOn(performance, 'now').mockImplementation(() => clock));
afterEach(() => jest.restoreAllMocks());

/** Longer than a count is trusted. */
const anew = async (): Promise<void> => void (clock += 300);

/** What a backlog looks at, as a test sets it: how far log and catalogue are, and what they and the bus count. */
class Sources {
  head = 0;
  seen = 0;
  counts = { pending: 0, processing: 0, indexed: 0, failed: 0, total: 0, held: 0 };
  onBus = 0;
  counted = 0;

  backlog(capacity: number): Backlog {
    return new Backlog(
      {
        bus: { lag: async (topic, group) => (topic === TOPICS.ingestion && group === GROUPS.ingestion ? this.onBus : NaN) },
        catalog: { position: async () => position(BigInt(this.seen)), documentCounts: async (tenant) => (this.counted++, tenant === undefined ? this.counts : Promise.reject(new Error('of all tenants'))) },
      },
      capacity,
    );
  }

  /** Somebody was let in: the event is on the log; the catalogue does not know it yet. */
  async submit(backlog: Backlog): Promise<void> {
    const place = await backlog.letIn();
    this.head++;
    place.taken(position(BigInt(this.head)));
  }

  /** The catalogue learns of everything on the log. */
  project(pending: number): void {
    this.seen = this.head;
    this.counts = { ...this.counts, pending };
  }
}

describe('the backlog', () => {
  it('counts nothing that a paused knowledge base holds back: it is in nobody’s way', async () => {
    const sources = new Sources();
    sources.counts = { ...sources.counts, pending: 7, processing: 1, held: 6 };
    const backlog = sources.backlog(3);
    expect(await backlog.depth()).toBe(2);
    await sources.submit(backlog);
    await expect(backlog.letIn()).rejects.toThrow(Overloaded);
  });

  it.each([
    ['what is in front of the bus', { pending: 7, processing: 2, onBus: 3 }, 9],
    ['what the catalogue does not know of', { pending: 0, processing: 1, onBus: 4 }, 4],
    ['nothing that is indexed or failed', { pending: 0, processing: 0, indexed: 5, failed: 6, onBus: 0 }, 0],
  ])('counts %s', async (_, { onBus, ...counts }, depth) => {
    const sources = Object.assign(new Sources(), { onBus });
    Object.assign(sources.counts, counts);
    expect(await sources.backlog(100).depth()).toBe(depth);
  });

  it('lets in up to the capacity, however many ask at once, while neither catalogue nor bus know of any', async () => {
    const backlog = new Sources().backlog(5);
    const burst = await Promise.allSettled(Array.from({ length: 20 }, () => backlog.letIn()));
    expect(burst.filter(({ status }) => status === 'fulfilled')).toHaveLength(5);
    for (const one of burst) if (one.status === 'rejected') expect(one.reason).toBeInstanceOf(Overloaded);
  });

  it('adds what was let in for as long as the catalogue is behind', async () => {
    const sources = new Sources();
    const backlog = sources.backlog(3);
    for (let i = 0; i < 3; i++) await sources.submit(backlog);
    for (let look = 0; look < 3; look++) {
      await anew();
      expect(await backlog.depth()).toBe(3);
    }
    await expect(backlog.letIn()).rejects.toThrow('too many documents are waiting to be indexed');
  });

  it('counts it once, when the catalogue has caught up, and then as long as it waits', async () => {
    const sources = new Sources();
    const backlog = sources.backlog(10);
    for (let i = 0; i < 3; i++) await sources.submit(backlog);
    await anew();
    sources.project(3);
    expect(await backlog.depth()).toBe(3);
    sources.project(0);
    await anew();
    expect(await backlog.depth()).toBe(0);
  });

  it('forgets what the catalogue has seen, though it never reaches the end of a log that grows on', async () => {
    const sources = new Sources();
    const backlog = sources.backlog(10);
    await sources.submit(backlog);
    sources.project(0);
    await sources.submit(backlog);
    await anew();
    expect(await backlog.depth()).toBe(1);
  });

  it('counts what is on its way to the log, until it is given back', async () => {
    const sources = new Sources();
    const backlog = sources.backlog(1);
    const place = await backlog.letIn();
    await anew();
    await expect(backlog.letIn()).rejects.toBeInstanceOf(Overloaded);
    place.givenBack();
    await backlog.letIn();
  });

  it('counts nothing twice that the bus has already', async () => {
    const sources = new Sources();
    const backlog = sources.backlog(10);
    for (let i = 0; i < 3; i++) await sources.submit(backlog);
    sources.onBus = 3;
    await anew();
    expect(await backlog.depth()).toBe(3);
  });

  it('refuses nobody for what was worked off in the meantime', async () => {
    const sources = new Sources();
    const backlog = sources.backlog(2);
    for (let i = 0; i < 2; i++) await sources.submit(backlog);
    sources.project(0);
    clock += 50;
    await sources.submit(backlog);
  });

  it('is counted a few times a second, however often it is asked for', async () => {
    const sources = new Sources();
    const backlog = sources.backlog(1_000);
    for (let i = 0; i < 500; i++) {
      await backlog.letIn();
      clock += 2;
    }
    expect(sources.counted).toBeLessThan(50);
  });
});
