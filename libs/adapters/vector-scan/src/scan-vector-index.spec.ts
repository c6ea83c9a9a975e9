import { describeVectorIndex, describeVectorIndexFiles, openingInFolder } from '@palimpsest/test-kit';
import type { ScanLimits } from './limits.ts';
import { openScanVectorIndex } from './scan-vector-index.ts';

const opening = (limits: ScanLimits) => openingInFolder((at) => openScanVectorIndex({ ...limits, ...at }));

/** Everything small, so that tiny tests go through codes, several slabs, compactions and evictions. */
const STRAINED: ScanLimits = { coarseFromRows: 0, slabRows: 64, compactFromBytes: 0, cacheBytes: 0 };

describeVectorIndex('a scan with its usual limits', () => opening({})());
describeVectorIndex('a scan with codes, small slabs, eager compaction and no cache', () => opening(STRAINED)());
describeVectorIndexFiles('a scan with its usual limits', opening({}));
describeVectorIndexFiles('a scan with codes, small slabs, eager compaction and no cache', opening(STRAINED));
