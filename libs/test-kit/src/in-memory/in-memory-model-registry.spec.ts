import { describeEmbeddingProviders } from '../embedding-providers-kit.ts';
import { describeModelRegistry } from '../model-registry-kit.ts';
import { InMemoryModelRegistry } from './in-memory-model-registry.ts';

const dispose = () => Promise.resolve();

describeModelRegistry('InMemoryModelRegistry', async () => ({ registry: new InMemoryModelRegistry(), dispose }));
describeEmbeddingProviders('InMemoryModelRegistry', async () => ({ providers: new InMemoryModelRegistry(), dispose }));
