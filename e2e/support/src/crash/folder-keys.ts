import { cp, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { openFolderBlobStore, openScopeKeys } from '@palimpsest/adapters-folder';
import { domainCodec } from '@palimpsest/contracts';
import type { RecordedEvent as LogEvent, ScopeKeys } from '@palimpsest/knowledge/ports';
import type { TenantId, VectorScope } from '@palimpsest/knowledge/values';
import { aDataFolder } from '../platform-under-test.ts';
import { recordedEvents, type RecordedEvent } from '../recorded-events.ts';

/** Copies the keys that `to` lacks: then both folders derive the same ids. Call it again when `from` has keys of more scopes. */
export const copyKeys = async (from: string, to: string): Promise<void> => {
  for (const part of [join('keys', 'master.key'), join('blobs', 'keys')])
    await cp(join(from, part), join(to, part), { recursive: true, force: false });
};

/** All events of a folder, with their sealed fields opened. Reads copies of the keys, so that nothing in the folder is written. */
export const openedEvents = async (data: string): Promise<readonly RecordedEvent[]> => {
  const copy = await aDataFolder();
  const events = await recordedEvents(data);
  await copyKeys(data, copy);
  const masterKey = Buffer.from((await readFile(join(copy, 'keys', 'master.key'), 'utf8')).trim(), 'hex');
  const keys = openScopeKeys({ blobs: await openFolderBlobStore(join(copy, 'blobs')), masterKey });
  return Promise.all(events.map(async (event) => ({ ...event, data: await openedData(event, keys) })));
};

const openedData = async ({ data, ...event }: RecordedEvent, keys: ScopeKeys): Promise<Record<string, unknown>> => {
  if (data['sealed'] === undefined) return data;
  const cipher = await keys.cipher({ tenant: event.metadata['tenant'] as TenantId, scope: event.metadata['scope'] as VectorScope });
  return domainCodec.decode({ ...event, data } as unknown as LogEvent, cipher).event.data as Record<string, unknown>;
};
