import { randomBytes, randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openFolderBlobStore, openMasterKey, openScopeKeys } from '@palimpsest/adapters-folder';
import { openSqliteEventLog, type SqliteEventLog } from '@palimpsest/adapters-sqlite';
import {
  blobKey,
  streamName,
  type BlobStore,
  type NewEvent,
  type RecordedEvent,
  type ScopeKeys,
  type StreamName,
} from '@palimpsest/knowledge/ports';
import { tenantId, vectorScope } from '@palimpsest/knowledge/values';
import { folderLayout, type FolderLayout } from '../src/folder-layout.ts';

/** Cheap: the results do not depend on the costs. */
export const COSTS = { log2N: 4, r: 8, p: 1 };
export const SCOPE = { tenant: tenantId('acme'), scope: vectorScope('team:red') };

export const temporaryFolder = (): Promise<string> => mkdtemp(join(tmpdir(), 'palimpsest-backup-'));

/** A submitted document with its upload. */
export type Document = Readonly<{ stream: StreamName; blob: string; bytes: Buffer }>;

/** Log, uploads and keys of a data folder, opened as a platform opens them. */
export class FolderUnderTest {
  readonly layout: FolderLayout;
  readonly log: SqliteEventLog;
  readonly blobs: BlobStore;
  readonly keys: ScopeKeys;

  private constructor(layout: FolderLayout, log: SqliteEventLog, blobs: BlobStore, keys: ScopeKeys) {
    this.layout = layout;
    this.log = log;
    this.blobs = blobs;
    this.keys = keys;
  }

  static async open(root: string): Promise<FolderUnderTest> {
    const layout = folderLayout(root);
    const log = await openSqliteEventLog({ file: layout.log });
    const blobs = await openFolderBlobStore(layout.blobs);
    return new FolderUnderTest(layout, log, blobs, openScopeKeys({ blobs, masterKey: await openMasterKey(layout.masterKey) }));
  }

  /** Submits a document like the platform: the sealed bytes first, then the event. It is acknowledged when the promise resolves. */
  async submit(
    name: string,
    { version = 1, size = 2_000, expected = 'no-stream' as number | 'no-stream', chunks = 2 } = {},
  ): Promise<Document> {
    const stream = streamName('document', SCOPE.tenant, name);
    const bytes = randomBytes(size);
    const blob = blobKey(`documents/acme/${name}/${version}`);
    const cipher = await this.keys.cipher(SCOPE);
    await this.blobs.put(blob, cipher.seal(bytes, `blob/${blob}`));
    const events = [
      event('DocumentSubmitted', { blob, version, name }),
      ...Array.from({ length: chunks }, (_, i) => event('KnowledgeChunkIndexed', { i, text: randomBytes(300).toString('base64') })),
    ];
    const { outcome } = await this.log.append(stream, events, expected);
    if (outcome !== 'appended') throw new Error(`${name}: ${outcome}`);
    return { stream, blob, bytes };
  }

  /** The original bytes of an upload. @throws when it is missing, or was sealed with other keys */
  async uploadOf({ blob }: Pick<Document, 'blob'>): Promise<Buffer> {
    const sealed = await this.blobs.get(blobKey(blob));
    if (!sealed) throw new Error(`${blob} is missing`);
    return Buffer.from((await this.keys.cipher(SCOPE)).open(sealed, `blob/${blob}`));
  }

  async events(): Promise<readonly RecordedEvent[]> {
    const events: RecordedEvent[] = [];
    for await (const each of this.log.readAll()) events.push(each);
    return events;
  }

  close(): Promise<void> {
    return this.log.close();
  }
}

export const event = (type: string, data: NewEvent['data']): NewEvent => ({ id: randomUUID(), type, data, metadata: { tenant: 'acme' } });

export const removed = (folder: string): Promise<void> => rm(folder, { recursive: true, force: true });
