export { syncFolder } from './durable.ts';
export { openFolderBlobStore } from './folder-blob-store.ts';
export { openMasterKey } from './master-key.ts';
export { openScopeKeys, type ScopeKeysOptions } from './wrapped-scope-keys.ts';
export { WrongMasterKey } from './wrapped-key.ts';
