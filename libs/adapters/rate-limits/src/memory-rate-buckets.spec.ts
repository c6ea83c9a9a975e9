import { describeRateBuckets } from '@palimpsest/test-kit';
import { memoryRateBuckets } from './memory-rate-buckets.ts';

describeRateBuckets('memory', async () => ({ open: async () => memoryRateBuckets(), dispose: async () => undefined }));
