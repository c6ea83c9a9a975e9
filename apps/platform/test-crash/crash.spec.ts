import { SeededRandom } from '../test-faults/seeded-random.ts';
import { EmbeddingStandIn } from '../test/embedding-stand-in.ts';
import type { DiskOrder } from '../test/disk/faulty-disk.ts';
import { NOTHING_SURVIVES, type Survives } from '../test/disk/power-cut.ts';
import { Lane, type Life } from './lane.ts';
import { countsOf, killAnywhere, killsAt, tell } from './orders.ts';
import { changeOfModel, compaction, UNSPEAKABLE } from './work.ts';

const wholeFrom = (variable: string, usual: number): number => {
  const value = Number(process.env[variable] ?? usual);
  if (!Number.isInteger(value) || value < 1) throw new Error(`${variable}: expected a whole number, at least 1, got "${process.env[variable]}"`);
  return value;
};
/** Kills of the two long stories together; those of first starts and of compactions come on top. */
const KILLS = wholeFrom('PALIMPSEST_CRASH_KILLS', 440);
const SEED = wholeFrom('PALIMPSEST_CRASH_SEED', Math.floor(Date.now() / 1000) % 1_000_000);
/** Kills on one folder before it is looked at. */
const KILLS_BETWEEN_LOOKS = 40;
/** A life after which an order that did not come to be carried out goes back into the heap, at most so often. */
const MOST_TRIES = 4;

type Fate = 'kill' | 'power cut';

/** What is killed, counted over all stories. */
const killed = { kills: 0, powerCuts: 0, lost: 0, names: new Map<string, number>(), readyMs: [] as number[] };

const take = (life: Life, lane: Lane, fate: Fate, random: SeededRandom): boolean => {
  if (life.readyMs !== undefined) killed.readyMs.push(life.readyMs);
  const { count, name } = life.fired;
  if (count === 0) return false;
  killed.kills++;
  killed.names.set(name, (killed.names.get(name) ?? 0) + 1);
  if (fate === 'power cut') {
    // Half of the time the disk has none of what was not synced; else it has some of it, in no order.
    const some: Survives = () => random.next() < 0.5;
    killed.lost += lane.powerCut(random.next() < 0.5 ? NOTHING_SURVIVES : some);
    killed.powerCuts++;
  }
  return true;
};

/** Orders are carried out one life after the other; one that found no such call goes to the end, until it was tried often enough. */
const liveThrough = async (lane: Lane, orders: readonly DiskOrder[], fate: Fate, random: SeededRandom, afterKill: (kills: number) => Promise<void>): Promise<readonly DiskOrder[]> => {
  const waiting = orders.map((order) => ({ order, tries: 0 }));
  const never: DiskOrder[] = [];
  let kills = 0;
  for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
    const life = await lane.live(next.order);
    // Only a kill excuses anything: whatever else was answered is told.
    expect({ order: tell(next.order), problems: life.fired.count > 0 && life.readyMs === undefined ? [] : life.problems }).toEqual({ order: tell(next.order), problems: [] });
    if (take(life, lane, fate, random)) await afterKill(++kills);
    else if (next.tries + 1 < MOST_TRIES) waiting.push({ order: next.order, tries: next.tries + 1 });
    else never.push(next.order);
  }
  return never;
};

const sound = async (lane: Lane): Promise<void> => expect(await lane.wrong()).toEqual([]);

describe(`a platform whose process is killed and whose power is cut (PALIMPSEST_CRASH_SEED=${SEED})`, () => {
  const random = new SeededRandom(SEED);
  let standIn: EmbeddingStandIn;
  let firstStart: ReadonlyMap<string, number>;
  let later: ReadonlyMap<string, number>;
  let callsOfALife: number;

  beforeAll(async () => {
    standIn = await EmbeddingStandIn.open();
    standIn.refusal = { when: (text) => text.includes(UNSPEAKABLE), status: 400 };
    const lane = new Lane({ standIn });
    await lane.live();
    const all = countsOf(lane.disk.records());
    lane.disk.forget();
    await lane.live();
    lane.model = 'two';
    lane.add(...changeOfModel());
    await lane.live();
    later = countsOf(lane.disk.records());
    callsOfALife = Math.ceil([...later.values()].reduce((sum, count) => sum + count, 0) / 2);
    firstStart = new Map([...all].filter(([name]) => !later.has(name)).map(([name]) => [name, 1]));
    process.stdout.write(`\n${firstStart.size} names of writes in a first start, ${later.size} later, ${callsOfALife} calls in a life\n`);
  });

  afterAll(() => {
    const ready = [...killed.readyMs].sort((a, b) => a - b);
    const seconds = (ms: number | undefined): string => `${((ms ?? 0) / 1000).toFixed(2)} s`;
    process.stdout.write(
      `\n${killed.kills} kills, ${killed.powerCuts} of them with a power cut that lost ${killed.lost} writes, at ${killed.names.size} of ${firstStart.size + later.size} names; ` +
        `from the start of the process until ready: median ${seconds(ready[ready.length >> 1])}, most ${seconds(ready.at(-1))} (${ready.length} starts)\n`,
    );
  });

  it.each(['kill', 'power cut'] as const)('comes into being after a %s at each write of its first start', async (fate) => {
    const lane = new Lane({ standIn, powerCuts: fate === 'power cut' });
    const orders = [...firstStart].flatMap(([name]): DiskOrder[] => [
      { action: 'kill-before', name, first: 1, last: 1 },
      ...(name.endsWith(' write') ? [{ action: 'kill-within', name, first: 1, last: 1 } as const] : []),
      { action: 'kill-after', name, first: 1, last: 1 },
    ]);
    // Each once, as the first start goes on: where a kill took it back, or past what was meant, the next one is tried.
    for (const order of orders) take(await lane.live(order, { work: false }), lane, fate, random);
    await lane.live();
    await sound(lane);
  });

  it.each(['kill', 'power cut'] as const)('keeps what it promised, and no more than once, after a %s at every write of its life', async (fate) => {
    const mine = random.fork();
    const lane = new Lane({ standIn, powerCuts: fate === 'power cut' });
    await lane.live();
    const half = Math.ceil(KILLS / 2);
    const named = mine.shuffled(killsAt(later, mine)).slice(0, half);
    const orders = [...named, ...Array.from({ length: half - named.length }, () => killAnywhere(callsOfALife, mine))];
    const never = await liveThrough(lane, orders, fate, mine, async (kills) => {
      if (kills % KILLS_BETWEEN_LOOKS !== 0) return;
      await sound(lane);
      await lane.changeModel(lane.model === 'one' ? 'two' : 'one');
      lane.add(...changeOfModel());
    });
    await sound(lane);
    process.stdout.write(`\n${fate}: ${orders.length - never.length} of ${orders.length} orders carried out over ${lane.rounds} rounds of work; never: ${never.map(tell).join(', ') || 'none'}\n`);
  });

  it.each(['kill', 'power cut'] as const)('keeps what it promised after a %s while its indexes are compacted', async (fate) => {
    const wide = await EmbeddingStandIn.open(4_096);
    const lane = new Lane({ standIn: wide, powerCuts: fate === 'power cut' });
    lane.add(...compaction(0));
    await lane.live();
    let kills = 0;
    for (const [n, name] of ['vectors draft create', 'vectors draft write', 'vectors draft sync', 'vectors rename', 'lexical draft write', 'lexical base rename', 'lexical journal rename'].entries()) {
      lane.add(...compaction(n + 1));
      if (take(await lane.live({ action: n % 2 === 0 ? 'kill-before' : 'kill-after', name, first: 1, last: 1 }), lane, fate, random)) kills++;
    }
    await sound(lane);
    expect(kills).toBeGreaterThan(4);
  });
});
