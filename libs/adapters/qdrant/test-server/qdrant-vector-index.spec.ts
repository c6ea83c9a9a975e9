import { afterAll, beforeAll } from '@jest/globals';
import { describeVectorIndex } from '@palimpsest/test-kit';
import { QdrantUnderTest } from '../test/qdrant-under-test.ts';
import { openForKit } from '../test/vector-index-under-test.ts';

const server = new QdrantUnderTest();
beforeAll(() => server.start());
afterAll(() => server.stop());

describeVectorIndex('Qdrant', () => openForKit(server));
// Batches of three points, and every score computed here: the same guarantees hold.
describeVectorIndex('Qdrant in tiny batches', () => openForKit(server, { batchPoints: 3, scores: 'embedded' }));
