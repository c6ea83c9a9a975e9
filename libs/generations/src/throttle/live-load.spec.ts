import { SYSTEM, type System } from '@palimpsest/foundation';
import { eventually } from '@palimpsest/test-kit';
import type { Position } from '@palimpsest/knowledge/values';
import { recorded, retrieval } from '../../test/retrievals.ts';
import { World } from '../../test/world.ts';
import { LiveLoad, type LiveLoadParts } from './live-load.ts';

const open: LiveLoad[] = [];
afterEach(async () => {
  for (const load of open.splice(0)) await load.stop();
});

const COUNTS = { pending: 0, processing: 0, indexed: 0, failed: 0, total: 0, held: 0 };

/** An installation whose searches take `usualMs`, before a swap. */
const anInstallation = async ({ acceptedMs = 0, searches = 100 } = {}) => {
  const world = await new World().begin();
  const searched = (count: number, latencyMs: number) =>
    recorded(
      world,
      Array.from({ length: count }, () => retrieval('active', { latencyMs })),
    );
  let since: Position | undefined;
  if (searches > 0) since = await searched(searches, 20);
  let now = 0;
  const state = { waiting: 0, held: 0, countFails: false, faults: [] as string[] };
  const system: Pick<System, 'clock' | 'scheduler'> = { scheduler: SYSTEM.scheduler, clock: { ...SYSTEM.clock, elapsed: () => now } };
  const parts: LiveLoadParts = {
    journal: world.journal,
    catalog: {
      documentCounts: async () => {
        if (state.countFails) throw new Error('the catalog is away');
        return { ...COUNTS, pending: state.waiting, held: state.held };
      },
    },
    buildingSince: () => since,
    acceptedMs,
    system,
    onFault: (_, about) => void state.faults.push(about),
  };
  const load = new LiveLoad(parts);
  open.push(load);
  /** Searches while the generation is built, then a look that has seen them. */
  const after = async (count: number, latencyMs: number, unhindered = false) => {
    await searched(count, latencyMs);
    await eventually('the records are read', async () => load.known >= count || undefined);
    return load.pressure(unhindered);
  };
  // Begins to follow.
  expect(await load.pressure(false)).toBeUndefined();
  await eventually('it follows', async () => load.isFollowing || undefined);
  return { world, state, load, after, pass: (ms: number) => void (now += ms) };
};

describe('the live load', () => {
  it('has no pressure while searches take what they took before the swap', async () => {
    const { after } = await anInstallation();
    expect(await after(40, 20)).toBeUndefined();
    expect(await after(40, 25)).toBeUndefined();
  });

  it('has pressure when searches take more than 1.3 times the p99 before the swap', async () => {
    const { after } = await anInstallation();
    expect(await after(40, 27)).toBe('searches');
    expect(await after(40, 20)).toBeUndefined();
  });

  it('accepts the p99 of the setting', async () => {
    const { after } = await anInstallation({ acceptedMs: 200 });
    expect(await after(40, 150)).toBeUndefined();
    expect(await after(40, 201)).toBe('searches');
  });

  it('knows only the setting if there were too few searches before', async () => {
    const strict = await anInstallation({ searches: 10 });
    expect(await strict.after(40, 900)).toBeUndefined();
    const { after } = await anInstallation({ searches: 0, acceptedMs: 200 });
    expect(await after(40, 201)).toBe('searches');
  });

  it('collects searches until there are enough, but forgets old ones', async () => {
    const { after, pass, load } = await anInstallation();
    expect(await after(10, 90)).toBeUndefined();
    pass(9_000);
    expect(await after(20, 90)).toBe('searches');
    expect(await after(10, 90)).toBeUndefined();
    pass(11_000);
    expect(await load.pressure(false)).toBeUndefined();
    expect(await after(19, 90)).toBeUndefined();
  });

  it('measures against slower searches if they are slow while almost nothing is re-embedded', async () => {
    const { after } = await anInstallation();
    expect(await after(40, 60, true)).toBeUndefined();
    expect(await after(40, 60)).toBeUndefined();
    expect(await after(40, 79)).toBe('searches');
  });

  it('has pressure when more documents wait than at the look before, without those that a paused knowledge base holds back', async () => {
    const { state, load } = await anInstallation();
    const look = (waiting: number, held = 0) => {
      Object.assign(state, { waiting, held });
      return load.pressure(false);
    };
    expect(await look(15)).toBeUndefined();
    expect(await look(50)).toBe('documents');
    expect(await look(50)).toBeUndefined();
    expect(await look(40)).toBeUndefined();
    expect(await look(90, 60)).toBeUndefined();
    expect(await look(91, 0)).toBe('documents');
  });

  it('has none while the catalog fails, and reports the fault', async () => {
    const { state, load } = await anInstallation();
    state.countFails = true;
    expect(await load.pressure(false)).toBeUndefined();
    expect(state.faults).toEqual(['counting the documents that wait']);
  });

  it('reads the log again at the next look after it failed', async () => {
    const { world, state, load, after } = await anInstallation();
    await load.stop();
    const head = world.log.head.bind(world.log);
    world.log.head = () => Promise.reject(new Error('the log is away'));
    await load.pressure(false);
    await eventually('the fault is reported', async () => state.faults.includes('reading the times of searches') || undefined);
    world.log.head = head;
    await load.pressure(false);
    await eventually('it follows', async () => load.isFollowing || undefined);
    expect(await after(40, 27)).toBe('searches');
  });
});
