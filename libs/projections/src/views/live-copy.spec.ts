import fc from 'fast-check';
import { SYSTEM } from '@palimpsest/foundation';
import { tenantId, vectorScope, type Position } from '@palimpsest/knowledge/values';
import { aJournal, type InMemoryScopeKeys } from '@palimpsest/test-kit';
import type { EventLog } from '@palimpsest/knowledge/ports';
import { aScenario, emptyDisk, projected, type Disk } from '../../test/fixture.ts';
import { applyStep, histories, Scenario, SCOPE } from '@palimpsest/test-kit/histories';
import { ChangesSince } from './changes-since.ts';
import { LiveCopy } from './live-copy.ts';

type World = Readonly<{ log: EventLog; keys: InMemoryScopeKeys }>;

const contentsOf = async ({ catalog, vectors, lexical }: Disk) => {
  const entries = async (index: Disk['vectors'] | Disk['lexical']) => {
    const found: string[] = [];
    for (const partition of await index.partitions())
      for await (const entry of index.entries(partition)) found.push(JSON.stringify([partition, entry.chunkId, entry.digest]));
    return found.sort();
  };
  const rows: string[] = [];
  for await (const row of catalog.rows()) rows.push(JSON.stringify(row));
  return { rows: rows.sort(), vectors: await entries(vectors), lexical: await entries(lexical), position: await catalog.position() };
};

/** The contents of a copy as of a position; nothing if it has to be built from the log. */
const copied = async ({ log, keys }: World, live: Disk, position: Position, target = emptyDisk()) => {
  const copy = new LiveCopy(
    { journal: aJournal(log, keys), keys, system: SYSTEM },
    { ...live, reached: async () => true, serving: () => true },
    target,
    { tenant: SCOPE.tenant, position, signal: new AbortController().signal, onTakenBack: () => undefined },
  );
  return (await copy.make()) ? contentsOf(target) : undefined;
};

describe('A copy of the live read models, as of an earlier position', () => {
  it('is what they were then, for any history, also if it goes on while the copy is made', async () => {
    let [made, refused] = [0, 0];
    await fc.assert(
      fc.asyncProperty(histories, fc.nat(), fc.nat(), async (history, then, meanwhile) => {
        const world = await aScenario();
        const lived: { position: Position; contents: unknown }[] = [];
        const live = emptyDisk();
        const follow = () => projected(world, live);
        const during = history.length - (meanwhile % 4);
        for (const step of [undefined, ...history.slice(0, during)]) {
          if (step) await applyStep(world.scenario, step);
          lived.push({ position: await world.log.head(), contents: await contentsOf(await follow()) });
        }
        const target = emptyDisk();
        const copy = target.vectors.copy.bind(target.vectors);
        let goesOn = async (): Promise<void> => {
          for (const step of history.slice(during)) await applyStep(world.scenario, step);
          await follow();
        };
        target.vectors.copy = async (...call) => {
          await goesOn();
          goesOn = async () => undefined;
          await copy(...call);
        };
        const { position, contents } = lived[then % lived.length] as (typeof lived)[number];
        const found = await copied(world, live, position, target);
        if (found === undefined) refused++;
        else {
          made++;
          expect(found).toEqual(contents);
        }
      }),
      { numRuns: 300 },
    );
    // Generations and languages changed in the others.
    expect(made).toBeGreaterThan(refused / 2);
  });

  it('contains nothing of another tenant, and no scope that was opened later', async () => {
    const world = await aScenario();
    await world.scenario.indexed('a', { texts: ['apple'] });
    const then = await world.log.head();
    const live = emptyDisk();
    const contents = await contentsOf(await projected(world, live));
    for (const where of [
      { tenant: tenantId('other'), scope: SCOPE.scope },
      { tenant: SCOPE.tenant, scope: vectorScope('team:later') },
    ]) {
      const other = await new Scenario(world.log, world.keys, where).begin();
      await other.indexed('b', { texts: ['berry'] });
    }
    await projected(world, live);
    expect(await copied(world, live, then)).toEqual(contents);
  });

  it('is not made if too many chunks changed', async () => {
    const world = await aScenario();
    const [tenant, position] = [SCOPE.tenant, await world.log.head()];
    await world.scenario.indexed('a', { texts: ['apple', 'berry'] });
    const readable = (maxChunks: number) =>
      new ChangesSince(aJournal(world.log, world.keys), { tenant, position, maxChunks }).readOn(new AbortController().signal);
    expect([await readable(2), await readable(1)]).toEqual([true, false]);
  });
});
