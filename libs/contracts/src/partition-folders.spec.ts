import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { generationId, tenantId, vectorScope } from '@palimpsest/knowledge/values';
import { openPartitionsIn, partitionFolder, partitionOfFile, partitionsIn } from './partition-folders.ts';

const PARTITION = { scope: { tenant: tenantId('acme'), scope: vectorScope('team:Red') }, generation: generationId('g1') };

describe('The folders of index partitions', () => {
  let root: string;
  beforeEach(async () => void (root = await mkdtemp(join(tmpdir(), 'partition-folders-'))));
  afterEach(() => rm(root, { recursive: true }));

  it('have fixed names, because they are on disk', () => {
    expect(partitionFolder(join('/', 'data'), PARTITION, 'vectors')).toBe(join('/', 'data', 'acme', 'team+red=20', 'g1', 'vectors'));
    expect(partitionFolder(join('/', 'data'), PARTITION, 'lexical')).toBe(join('/', 'data', 'acme', 'team+red=20', 'g1', 'lexical'));
  });

  it('are listed without folders that Palimpsest did not create', async () => {
    for (const path of [
      'acme/team+red=20/g1/vectors',
      'acme/team+red/g1/lexical',
      'acme/Team+red/g1/vectors',
      'acme/deployment/latest/vectors',
      'x y/deployment/g1/vectors',
    ])
      await mkdir(join(root, path), { recursive: true });
    expect(await partitionsIn(root, 'vectors')).toEqual([PARTITION]);
    expect(await partitionsIn(root, 'lexical')).toEqual([{ ...PARTITION, scope: { tenant: 'acme', scope: 'team:red' } }]);
    expect(await partitionsIn(join(root, 'missing'), 'vectors')).toEqual([]);
  });

  it('are completed when the index is opened, if they were being replaced', async () => {
    const folder = partitionFolder(root, PARTITION, 'vectors');
    await mkdir(`${folder}.next`, { recursive: true });
    await mkdir(`${folder}.previous`);
    expect([await partitionsIn(root, 'vectors'), await openPartitionsIn(root, 'lexical')]).toEqual([[], []]);
    expect(await openPartitionsIn(root, 'vectors')).toEqual([PARTITION]);
    expect(await readdir(dirname(folder))).toEqual(['vectors']);
  });

  it('tell which partition a file belongs to', () => {
    for (const file of ['lexical/base', 'vectors/vectors.dat', 'lexical.previous/base'])
      expect(partitionOfFile(`acme/team+red=20/g1/${file}`)).toEqual(PARTITION);
    for (const other of [
      'acme/team+red=20/g1/other/base',
      'acme/team+red=20/g1/lexical',
      'lexical.synced',
      'acme/Team+red/g1/lexical/base',
    ])
      expect(partitionOfFile(other)).toBeUndefined();
  });
});
