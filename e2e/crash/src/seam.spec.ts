import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { EmbeddingStandIn } from '@palimpsest/e2e-support/embedding-stand-in';
import { nameOf } from '@palimpsest/e2e-support/disk/disk-journal';
import { VOLATILE } from '@palimpsest/e2e-support/disk/power-cut';
import { Lane } from '@palimpsest/e2e-support/crash/lane';
import { UNSPEAKABLE } from '@palimpsest/e2e-support/crash/work';

/** Every durable file with its content. */
const contents = (root: string): ReadonlyMap<string, string> =>
  new Map(
    readdirSync(root, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && !VOLATILE.test(entry.name))
      .map((entry) => join(entry.parentPath, entry.name))
      .map((path) => [relative(root, path), readFileSync(path).toString('base64')]),
  );

describe('the shim between the platform and its disk', () => {
  it('sees every write, has a name for every path, and can undo and repeat all writes', async () => {
    const standIn = await EmbeddingStandIn.open();
    standIn.refusal = { when: (text) => text.includes(UNSPEAKABLE), status: 400 };
    const lane = new Lane({ standIn, powerCuts: true });
    for (const _ of [1, 2]) {
      const run = await lane.run();
      expect(run.problems).toEqual([]);
      expect(run.ended).toMatchObject({ code: 0 });
    }
    const records = lane.disk.records();
    expect(records.filter((record) => record.class === '?' || record.class === '!child').map(nameOf)).toEqual([]);
    const before = contents(lane.disk.root);
    expect(before.size).toBeGreaterThan(15);
    lane.disk.replay({ forwards: true });
    expect(contents(lane.disk.root)).toEqual(before);
    lane.disk.replay({ forwards: false });
    expect(existsSync(lane.disk.root)).toBe(false);
  });
});
