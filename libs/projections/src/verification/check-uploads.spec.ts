import { sealBlob } from '@palimpsest/contracts';
import { Corrupt } from '@palimpsest/knowledge/errors';
import type { BlobKey } from '@palimpsest/knowledge/ports';
import { aJournal, InMemoryBlobStore } from '@palimpsest/test-kit';
import { aScenario } from '../../test/fixture.ts';
import { SCOPE, theDocument } from '@palimpsest/test-kit/histories';
import { checkUploads } from './check-uploads.ts';

/** Documents `a` (indexed), `b` (indexed, then submitted again), `c` (deleted), with the uploads of all of them. */
const aWorld = async () => {
  const { log, keys, scenario } = await aScenario();
  const blobs = new InMemoryBlobStore();
  const journal = aJournal(log);
  await scenario.indexed('a', { texts: ['apple'] });
  await scenario.indexed('b', { texts: ['berry'] });
  await scenario.submitted('b', { texts: ['berry', 'cherry'] });
  await scenario.indexed('c', { texts: ['cedar'] });
  await scenario.deleted('c');
  const uploads: { document: string; version: number; blob: BlobKey }[] = [];
  for await (const { event } of journal.readAll({ types: ['DocumentSubmitted'] }))
    if (event.type === 'DocumentSubmitted')
      uploads.push({ document: event.data.documentId, version: event.data.version, blob: event.data.blob });
  const cipher = await keys.cipher(SCOPE);
  for (const { blob } of uploads) await blobs.put(blob, sealBlob(cipher, blob, Buffer.from(`bytes of ${blob}`)));
  const blobOf = (name: string, version: number): BlobKey =>
    uploads.find((upload) => upload.document === theDocument(name) && upload.version === version)?.blob as BlobKey;
  return { blobs, keys, blobOf, check: () => checkUploads(journal, blobs, keys) };
};

describe('The check of uploads', () => {
  it('finds no damage if all uploads can be opened', async () => expect(await (await aWorld()).check()).toEqual([]));

  it('names a document whose upload is missing, for the indexed and the latest version', async () => {
    const { blobs, blobOf, check } = await aWorld();
    for (const version of [1, 2]) await blobs.delete(blobOf('b', version));
    expect(await check()).toEqual(
      [1, 2].map((version) =>
        expect.stringContaining(
          `the upload of document ${theDocument('b')} (version ${version}) of tenant "acme" is missing. Upload the file again with --force`,
        ),
      ),
    );
  });

  it('names a document whose upload was changed or sealed for another document', async () => {
    const { blobs, blobOf, check } = await aWorld();
    const bytes = (await blobs.get(blobOf('a', 1))) ?? new Uint8Array();
    await blobs.put(blobOf('b', 2), bytes);
    bytes[20] = (bytes[20] ?? 0) ^ 1;
    await blobs.put(blobOf('a', 1), bytes);
    expect(await check()).toEqual(
      expect.arrayContaining([
        expect.stringContaining(`${theDocument('a')} (version 1) of tenant "acme" is damaged`),
        expect.stringContaining(`${theDocument('b')} (version 2) of tenant "acme" is damaged`),
      ]),
    );
  });

  it('names a document whose stored file is corrupt', async () => {
    const { blobs, blobOf, check } = await aWorld();
    const get = blobs.get.bind(blobs);
    blobs.get = async (key) => {
      if (key === blobOf('a', 1)) throw new Corrupt('other bytes');
      return get(key);
    };
    expect(await check()).toEqual([expect.stringContaining(`${theDocument('a')} (version 1) of tenant "acme" is damaged`)]);
  });

  it('needs no uploads of deleted documents and erased scopes', async () => {
    const { blobs, keys, blobOf, check } = await aWorld();
    await blobs.delete(blobOf('c', 1));
    expect(await check()).toEqual([]);
    await keys.destroy(SCOPE);
    expect(await check()).toEqual([]);
  });
});
