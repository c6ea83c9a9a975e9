import { describeVectorIndex, describeVectorIndexAdoption, describeVectorIndexFiles, openingInFolder } from '@palimpsest/test-kit';
import type { ScanLimits } from './limits.ts';
import { openScanVectorIndex } from './scan-vector-index.ts';

const opening = (limits: ScanLimits) => openingInFolder((at) => openScanVectorIndex({ ...limits, ...at }));

/** Small limits, so that small tests use several slabs, compaction, eviction, and vectors that are read from the file. */
const SMALL_LIMITS: ScanLimits = { slabRows: 64, compactFromBytes: 0, cacheBytes: 0 };

describeVectorIndex('a scan with default limits', opening({}));
describeVectorIndex('a scan with small slabs, eager compaction and no cache', opening(SMALL_LIMITS));
describeVectorIndexAdoption('a scan with default limits', opening({}));
describeVectorIndexAdoption('a scan with small slabs and no cache', opening(SMALL_LIMITS));
describeVectorIndexFiles('a scan with default limits', opening({}));
describeVectorIndexFiles('a scan with small slabs, eager compaction and no cache', opening(SMALL_LIMITS));
