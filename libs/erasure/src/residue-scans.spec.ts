import { Journal, sealText, sealVectors, toBase64 } from '@palimpsest/contracts';
import { SYSTEM, type FolderSearch, type Probe } from '@palimpsest/foundation';
import { documentStream } from '@palimpsest/knowledge/deciders';
import type { DocumentSubmitted, KnowledgeChunkIndexed } from '@palimpsest/knowledge/events';
import { blobKey } from '@palimpsest/knowledge/ports';
import {
  chunkId,
  chunkingVersion,
  documentId,
  embeddingVersion,
  knowledgeBaseId,
  sha256,
  sourceId,
  tenantId,
  vectorScope,
  type TenantScope,
} from '@palimpsest/knowledge/values';
import { InMemoryEventLog, InMemoryScopeKeys } from '@palimpsest/test-kit';
import { ResidueScans } from './residue-scans.ts';

const RED: TenantScope = { tenant: tenantId('acme'), scope: vectorScope('team:red') };
const BLUE: TenantScope = { tenant: tenantId('acme'), scope: vectorScope('team:blue') };
const LINE = 'The harbour master wrote a secret word into the log that no one read.';
const VECTOR = Float32Array.from({ length: 16 }, (_, n) => Math.sin(n + 1));
const TITLE = 'Salaries of the harbour';

const aWorld = async () => {
  const [log, keys] = [new InMemoryEventLog(), new InMemoryScopeKeys()];
  const journal = new Journal(log, keys);
  const files = new Map<string, Buffer>();
  const submit = async (of: TenantScope, digit: string, title: string) => {
    const [id, chunk, version] = [documentId(digit.repeat(32)), chunkId(digit.repeat(32)), embeddingVersion('fake:a/16')];
    const cipher = await keys.cipher(of);
    const content = { text: `${LINE}\nShort.`, contextPrefix: '', headings: [] };
    const hash = sha256(digit.repeat(64));
    const submitted: DocumentSubmitted = {
      type: 'DocumentSubmitted',
      data: {
        ...{
          documentId: id,
          version: 1,
          knowledgeBase: knowledgeBaseId('default'),
          sourceId: sourceId(`${digit}/salaries 2026.md`),
          title,
        },
        ...{ blob: blobKey(`documents/${digit}`), bytes: 1, checksum: hash, fingerprint: hash, labels: { level: 'confidential' } },
        ...{ origin: 'UserContent', submittedAt: '2026-11-28T08:00:00.000Z' },
      },
    };
    const indexed: KnowledgeChunkIndexed = {
      type: 'KnowledgeChunkIndexed',
      data: {
        ...{ documentId: id, version: 1, chunkId: chunk, index: 0, of: 1, start: 0, end: 1, fromLine: 1, toLine: 1, contentHash: hash },
        ...sealVectors(cipher, chunk, version, { vector: VECTOR }),
        ...{
          sealedText: toBase64(sealText(cipher, chunk, content)),
          embeddingVersion: version,
          chunkingVersion: chunkingVersion('structured@1'),
        },
        ...{ language: 'en', origin: 'UserContent', tokens: 1, truncated: false },
      },
    };
    const by = { ...of, actor: 'spec', correlationId: 'spec' };
    await journal.append(documentStream(of.tenant, id), [submitted, indexed], 'no-stream', by);
  };
  await submit(RED, 'a', TITLE);
  await submit(BLUE, 'b', TITLE);
  const search = async (probes: readonly Probe[]): Promise<FolderSearch> => {
    const found = new Map<string, string[]>();
    for (const [path, content] of files)
      for (const { name, bytes } of probes) if (content.includes(Buffer.from(bytes))) found.set(name, [...(found.get(name) ?? []), path]);
    return { files: files.size, bytes: 0, found };
  };
  const scans = new ResidueScans({ journal, keys, system: SYSTEM, localFiles: { which: 'all files', search } });
  return { keys, files, scans, scan: () => scans.scan(RED, new AbortController().signal) };
};

describe('The scan for what an erased scope said', () => {
  it('finds titles, sources, lines of texts and pieces of vectors, and names the files only', async () => {
    const { scans, scan, files, keys } = await aWorld();
    await scans.prepare(RED);
    await keys.destroy(RED);
    files.set('clean', Buffer.from('nothing of it'));
    expect(await scan()).toEqual({ secrets: 4, files: 1, bytes: 0, found: 0, detail: 'all files' });
    for (const left of [Buffer.from('…a/salaries 2026.md…'), Buffer.from(LINE, 'utf16le'), Buffer.from(VECTOR.buffer)]) {
      files.set('catalog.db-wal', left);
      await expect(scan()).rejects.toThrow(/^1 of 4 samples of scope team:red are still in files: catalog\.db-wal$/);
    }
  });

  it('accepts what a scope that is not erased says, too', async () => {
    const { scans, scan, files, keys } = await aWorld();
    await scans.prepare(RED);
    await keys.destroy(RED);
    files.set('catalog.db', Buffer.from(TITLE));
    expect(await scan()).toMatchObject({ secrets: 4, found: 0 });
  });

  it('says why there is none: the key had been destroyed before, or the process was restarted in between', async () => {
    const { scans, scan, keys } = await aWorld();
    expect(await scan()).toMatchObject({ secrets: 0, detail: expect.stringContaining('restarted') });
    await keys.destroy(RED);
    await scans.prepare(RED);
    expect(await scan()).toMatchObject({ secrets: 0, detail: expect.stringContaining('destroyed before') });
    scans.forget(RED);
    expect(await scan()).toMatchObject({ secrets: 0, detail: expect.stringContaining('restarted') });
  });
});
