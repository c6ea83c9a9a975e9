import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { IndexPartition } from '@palimpsest/knowledge';
import { describeVectorIndex, describeVectorIndexFiles } from '@palimpsest/test-kit';
import type { ScanLimits } from './limits.ts';
import { openScanVectorIndex } from './scan-vector-index.ts';

const opening = (limits: ScanLimits) => async (folder?: string) => {
  const root = folder ?? (await mkdtemp(join(tmpdir(), 'vector-scan-')));
  const reported: IndexPartition[] = [];
  const onDamage = (partition: IndexPartition): unknown => reported.push(partition);
  let index = await openScanVectorIndex({ root, ...limits, onDamage });
  return {
    index,
    folder: root,
    reported,
    reopen: async () => {
      await index.close();
      return (index = await openScanVectorIndex({ root, ...limits, onDamage }));
    },
    dispose: async () => {
      await index.close();
      await rm(root, { recursive: true, force: true });
    },
  };
};

/** Everything small, so that tiny tests go through codes, several slabs, compactions and evictions. */
const STRAINED: ScanLimits = { coarseFromRows: 0, slabRows: 64, compactFromBytes: 0, cacheBytes: 0 };

describeVectorIndex('a scan with its usual limits', () => opening({})());
describeVectorIndex('a scan with codes, small slabs, eager compaction and no cache', () => opening(STRAINED)());
describeVectorIndexFiles('a scan with its usual limits', opening({}));
describeVectorIndexFiles('a scan with codes, small slabs, eager compaction and no cache', opening(STRAINED));
