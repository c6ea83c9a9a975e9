import { jest } from '@jest/globals';
import { GROUPS, TOPICS } from '@palimpsest/contracts';
import { Overloaded } from '@palimpsest/knowledge/errors';
import { position } from '@palimpsest/knowledge/values';
import { Backlog } from './backlog.ts';

/** The time that the backlog sees, in milliseconds. The age of a count does not depend on how long a test takes on a busy machine. */
let clock = 0;
beforeEach(() => void jest.spyOn(performance, 'now').mockImplementation(() => clock));
afterEach(() => jest.restoreAllMocks());

/** Waits longer than a count stays valid. */
const untilCountExpires = async (): Promise<void> => void (clock += 300);

/** The sources of a backlog, set by the test: the positions of log and catalog, and the counts of catalog and bus. */
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
        catalog: {
          position: async () => position(BigInt(this.seen)),
          documentCounts: async (tenant) => (
            this.counted++,
            tenant === undefined ? this.counts : Promise.reject(new Error('of all tenants'))
          ),
        },
      },
      capacity,
    );
  }

  /** A document was accepted: its event is on the log, but the catalog does not know it yet. */
  async submit(backlog: Backlog): Promise<void> {
    const reservation = await backlog.reserve();
    this.head++;
    reservation.commit(position(BigInt(this.head)));
  }

  /** The catalog catches up with the log. */
  project(pending: number): void {
    this.seen = this.head;
    this.counts = { ...this.counts, pending };
  }
}

describe('the backlog', () => {
  it('does not count documents that a paused knowledge base holds back', async () => {
    const sources = new Sources();
    sources.counts = { ...sources.counts, pending: 7, processing: 1, held: 6 };
    const backlog = sources.backlog(3);
    expect(await backlog.depth()).toBe(2);
    await sources.submit(backlog);
    await expect(backlog.reserve()).rejects.toThrow(Overloaded);
  });

  it.each([
    ['documents that are not on the bus yet', { pending: 7, processing: 2, onBus: 3 }, 9],
    ['documents that the catalog does not know yet', { pending: 0, processing: 1, onBus: 4 }, 4],
    ['no document that is indexed or failed', { pending: 0, processing: 0, indexed: 5, failed: 6, onBus: 0 }, 0],
  ])('counts %s', async (_, { onBus, ...counts }, depth) => {
    const sources = Object.assign(new Sources(), { onBus });
    Object.assign(sources.counts, counts);
    expect(await sources.backlog(100).depth()).toBe(depth);
  });

  it('admits a burst up to its capacity, while neither catalog nor bus know any of it', async () => {
    const backlog = new Sources().backlog(5);
    const burst = await Promise.allSettled(Array.from({ length: 20 }, () => backlog.reserve()));
    expect(burst.filter(({ status }) => status === 'fulfilled')).toHaveLength(5);
    for (const one of burst) if (one.status === 'rejected') expect(one.reason).toBeInstanceOf(Overloaded);
  });

  it('adds admitted documents while the catalog is behind', async () => {
    const sources = new Sources();
    const backlog = sources.backlog(3);
    for (let i = 0; i < 3; i++) await sources.submit(backlog);
    for (let count = 0; count < 3; count++) {
      await untilCountExpires();
      expect(await backlog.depth()).toBe(3);
    }
    await expect(backlog.reserve()).rejects.toThrow('too many documents are waiting to be indexed');
  });

  it('counts a document once after the catalog has caught up, and only while it waits', async () => {
    const sources = new Sources();
    const backlog = sources.backlog(10);
    for (let i = 0; i < 3; i++) await sources.submit(backlog);
    await untilCountExpires();
    sources.project(3);
    expect(await backlog.depth()).toBe(3);
    sources.project(0);
    await untilCountExpires();
    expect(await backlog.depth()).toBe(0);
  });

  it('drops reservations that the catalog has seen, even if it never reaches the end of a growing log', async () => {
    const sources = new Sources();
    const backlog = sources.backlog(10);
    await sources.submit(backlog);
    sources.project(0);
    await sources.submit(backlog);
    await untilCountExpires();
    expect(await backlog.depth()).toBe(1);
  });

  it('counts an open reservation until it is released', async () => {
    const sources = new Sources();
    const backlog = sources.backlog(1);
    const reservation = await backlog.reserve();
    await untilCountExpires();
    await expect(backlog.reserve()).rejects.toBeInstanceOf(Overloaded);
    reservation.release();
    await backlog.reserve();
  });

  it('does not count documents twice that are on the bus already', async () => {
    const sources = new Sources();
    const backlog = sources.backlog(10);
    for (let i = 0; i < 3; i++) await sources.submit(backlog);
    sources.onBus = 3;
    await untilCountExpires();
    expect(await backlog.depth()).toBe(3);
  });

  it('refuses no document because of documents that were processed in the meantime', async () => {
    const sources = new Sources();
    const backlog = sources.backlog(2);
    for (let i = 0; i < 2; i++) await sources.submit(backlog);
    sources.project(0);
    clock += 50;
    await sources.submit(backlog);
  });

  it('is counted a few times per second, however often it is read', async () => {
    const sources = new Sources();
    const backlog = sources.backlog(1_000);
    for (let i = 0; i < 500; i++) {
      await backlog.reserve();
      clock += 2;
    }
    expect(sources.counted).toBeLessThan(50);
  });
});
