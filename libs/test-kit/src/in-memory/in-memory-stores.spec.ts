import { describeBlobStore } from '../blob-store-kit.ts';
import { describeCatalog } from '../catalog-kit.ts';
import { describeCheckpoints } from '../checkpoints-kit.ts';
import { describeEventLog } from '../event-log-kit.ts';
import { describeLexicalIndex } from '../lexical-index-kit.ts';
import { describeLexicalIndexAdoption } from '../lexical-index-store-promises.ts';
import { describeScopeKeys } from '../scope-keys-kit.ts';
import { describeVectorIndex } from '../vector-index-kit.ts';
import { describeVectorIndexAdoption } from '../vector-index-store-promises.ts';
import { InMemoryBlobStore } from './in-memory-blob-store.ts';
import { InMemoryCatalog } from './in-memory-catalog.ts';
import { InMemoryCheckpoints } from './in-memory-checkpoints.ts';
import { InMemoryEventLog } from './in-memory-event-log.ts';
import { InMemoryLexicalIndex } from './in-memory-lexical-index.ts';
import { InMemoryScopeKeys } from './in-memory-scope-keys.ts';
import { InMemoryVectorIndex } from './in-memory-vector-index.ts';

// The in-memory stores fulfil the same contracts as the real ones.

/** Reopens a store under test with its stored data. */
const reopening = <Store extends { reopened(): Store; close(): Promise<void> }>(first: Store) => {
  let store = first;
  const reopen = async (): Promise<Store> => {
    await store.close();
    return (store = store.reopened());
  };
  return { reopen, dispose: async () => store.close() };
};

describeEventLog('InMemoryEventLog', async () => {
  let now = Date.parse('2026-01-01T00:00:00Z');
  const log = new InMemoryEventLog({ now: () => now });
  return { log, ...reopening(log), letTimePass: async (seconds) => void (now += seconds * 1000), removesAtOnce: true };
});

const vectors = async () => {
  const index = new InMemoryVectorIndex();
  return { index, ...reopening(index) };
};
describeVectorIndex('InMemoryVectorIndex', vectors);
describeVectorIndexAdoption('InMemoryVectorIndex', vectors);

const words = async () => {
  const index = new InMemoryLexicalIndex();
  return { index, ...reopening(index) };
};
describeLexicalIndex('InMemoryLexicalIndex', words);
describeLexicalIndexAdoption('InMemoryLexicalIndex', words);

describeCatalog('InMemoryCatalog', async () => {
  const catalog = new InMemoryCatalog();
  return { catalog, ...reopening(catalog) };
});

describeCheckpoints('InMemoryCheckpoints', async () => {
  const checkpoints = new InMemoryCheckpoints();
  return { checkpoints, ...reopening(checkpoints) };
});

describeScopeKeys('InMemoryScopeKeys', async () => {
  const keys = new InMemoryScopeKeys();
  return {
    keys,
    reopen: async () => keys.reopened(),
    reopenWithWrongMasterKey: async () => keys.reopened('wrong'),
    dispose: async () => {},
  };
});

describeBlobStore('InMemoryBlobStore', async () => {
  const store = new InMemoryBlobStore();
  return { store, reopen: async () => store.reopened(), damage: async (key) => store.damage(key), dispose: async () => {} };
});
