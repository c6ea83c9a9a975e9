import { Journal } from '@palimpsest/contracts';
import { partitionKey, type KnowledgeBaseConfigured } from '@palimpsest/knowledge';
import { aStory, DIGESTS, emptyDisk, projected, type Disk } from '../test/fixture.ts';
import { stateOf } from '../test/read-model-state.ts';
import { BASE, SCOPE } from '../test/story.ts';
import { DeclaredLanguages } from './declared-languages.ts';
import { expectedIndexes } from './expected-indexes.ts';

const UNDETERMINED = { texts: ['apple', 'berry'], language: 'und' };

const lexicalOf = async (disk: Disk) => (await stateOf(disk)).lexical;
/** What the lexical index holds when the story is told from its end, as a rebuild does. */
const rebuilt = async (world: Awaited<ReturnType<typeof aStory>>) => lexicalOf(await projected(world, emptyDisk()));

describe('The language that a knowledge base declares', () => {
  it('is the one of its last declaration up to a position', async () => {
    const { story, log } = await aStory();
    await story.declared('de-CH');
    const declaredAt = await log.head();
    await story.declared('fr');
    const declared = new DeclaredLanguages(new Journal(log));
    const at = async (position: bigint) => declared.of(SCOPE.tenant, BASE, position as never);
    expect([await at(BigInt(declaredAt) - 1n), await at(declaredAt), await at(await log.head())]).toEqual(['und', 'de', 'fr']);
  });

  it('is changed by a declaration, and not by a new region of the same language', async () => {
    const { story, log } = await aStory();
    for (const language of ['de', 'de-CH', 'und']) await story.declared(language);
    const journal = new Journal(log);
    const changed: boolean[] = [];
    for await (const fact of journal.readAll({ types: ['KnowledgeBaseConfigured'] })) changed.push(await new DeclaredLanguages(journal).isChangedBy(fact as typeof fact & { event: KnowledgeBaseConfigured }));
    expect(changed).toEqual([true, false, true]);
  });

  it('reaches documents that were indexed without a language before, and leaves those with one', async () => {
    const world = await aStory();
    await world.story.indexed('early', UNDETERMINED);
    await world.story.indexed('english', { texts: ['cedar'] });
    const disk = await projected(world, emptyDisk());
    const before = await lexicalOf(disk);
    await world.story.declared('de');
    const after = await lexicalOf(await projected(world, disk));
    const [partition = ''] = Object.keys(after);
    const changed = (after[partition] ?? []).filter(({ digest }, i) => digest !== before[partition]?.[i]?.digest);
    expect(changed).toHaveLength(2);
    expect(after).toEqual(await rebuilt(world));
    await world.story.declared('und');
    expect(await lexicalOf(await projected(world, disk))).toEqual(before);
  });

  it('is what verify expects', async () => {
    const world = await aStory();
    await world.story.indexed('early', UNDETERMINED);
    await world.story.declared('de');
    const disk = await projected(world, emptyDisk());
    const [expected] = await expectedIndexes(new Journal(world.log), world.keys, DIGESTS, await world.log.head());
    const held = await lexicalOf(disk);
    expect(new Map(held[partitionKey(expected?.partition as never)]?.map(({ chunkId, digest }) => [chunkId, digest]))).toEqual(expected?.lexical);
  });
});
