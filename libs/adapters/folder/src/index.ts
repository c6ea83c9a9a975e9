export { checkWrites } from './check-writes.ts';
export { openFolderBlobStore } from './folder-blob-store.ts';
export { masterKeyCipher } from './master-key-cipher.ts';
export { masterKeySigner } from './master-key-signer.ts';
export { MasterKeyMissing, openMasterKey } from './master-key.ts';
export { openScopeKeys, type ScopeKeysOptions } from './wrapped-scope-keys.ts';
export { WrongMasterKey } from './wrapped-key.ts';
