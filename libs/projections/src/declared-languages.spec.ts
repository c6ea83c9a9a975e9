import type { KnowledgeBaseConfigured } from '@palimpsest/knowledge/events';
import { partitionKey } from '@palimpsest/knowledge/read-models';
import { aScenario, DIGESTS, emptyDisk, projected, type Disk } from '../test/fixture.ts';
import { stateOf } from '../test/read-model-state.ts';
import { BASE, SCOPE } from '@palimpsest/test-kit/histories';
import { DeclaredLanguages } from './declared-languages.ts';
import { expectedIndexes } from '../test/expected-indexes.ts';
import { aJournal } from '@palimpsest/test-kit';

const UNDETERMINED = { texts: ['apple', 'berry'], language: 'und' };

const lexicalOf = async (disk: Disk) => (await stateOf(disk)).lexical;
/** The contents of the lexical index after a rebuild from the finished log. */
const rebuilt = async (world: Awaited<ReturnType<typeof aScenario>>) => lexicalOf(await projected(world, emptyDisk()));

describe('The language that a knowledge base declares', () => {
  it('is that of the last declaration up to a position', async () => {
    const { scenario, log } = await aScenario();
    await scenario.declared('de-CH');
    const declaredAt = await log.head();
    await scenario.declared('fr');
    const declared = new DeclaredLanguages(aJournal(log));
    const at = async (position: bigint) => declared.of(SCOPE.tenant, BASE, position as never);
    expect([await at(BigInt(declaredAt) - 1n), await at(declaredAt), await at(await log.head())]).toEqual(['und', 'de', 'fr']);
  });

  it('changes with a new language, but not with a new region of the same language', async () => {
    const { scenario, log } = await aScenario();
    for (const language of ['de', 'de-CH', 'und']) await scenario.declared(language);
    const journal = aJournal(log);
    const changed: boolean[] = [];
    for await (const fact of journal.readAll({ types: ['KnowledgeBaseConfigured'] }))
      changed.push(await new DeclaredLanguages(journal).isChangedBy(fact as typeof fact & { event: KnowledgeBaseConfigured }));
    expect(changed).toEqual([true, false, true]);
  });

  it('applies to documents indexed earlier without a language, not to those with one', async () => {
    const world = await aScenario();
    await world.scenario.indexed('early', UNDETERMINED);
    await world.scenario.indexed('english', { texts: ['cedar'] });
    const disk = await projected(world, emptyDisk());
    const before = await lexicalOf(disk);
    await world.scenario.declared('de');
    const after = await lexicalOf(await projected(world, disk));
    const [partition = ''] = Object.keys(after);
    const changed = (after[partition] ?? []).filter(({ digest }, i) => digest !== before[partition]?.[i]?.digest);
    expect(changed).toHaveLength(2);
    expect(after).toEqual(await rebuilt(world));
    await world.scenario.declared('und');
    expect(await lexicalOf(await projected(world, disk))).toEqual(before);
  });

  it('is what verify expects', async () => {
    const world = await aScenario();
    await world.scenario.indexed('early', UNDETERMINED);
    await world.scenario.declared('de');
    const disk = await projected(world, emptyDisk());
    const [expected] = await expectedIndexes(aJournal(world.log), world.keys, DIGESTS, await world.log.head());
    const held = await lexicalOf(disk);
    expect(new Map(held[partitionKey(expected?.partition as never)]?.map(({ chunkId, digest }) => [chunkId, digest]))).toEqual(
      expected?.lexical,
    );
  });
});
