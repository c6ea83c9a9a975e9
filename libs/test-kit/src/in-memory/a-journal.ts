import { Journal } from '@palimpsest/contracts';
import type { EventLog, ScopeKeys } from '@palimpsest/knowledge/ports';
import { InMemoryScopeKeys } from './in-memory-scope-keys.ts';

/** One set of keys for all journals of a test file, so that one opens what another sealed. */
export const TEST_KEYS = new InMemoryScopeKeys();

export const aJournal = (log: EventLog, keys: Pick<ScopeKeys, 'cipher'> = TEST_KEYS): Journal => new Journal(log, keys);
