import { Journal, sealBlob } from '@palimpsest/contracts';
import { Corrupt, type BlobKey } from '@palimpsest/knowledge';
import { InMemoryBlobStore } from '@palimpsest/test-kit';
import { aStory } from '../test/fixture.ts';
import { SCOPE, theDocument } from '../test/story.ts';
import { checkUploads } from './check-uploads.ts';

/** Documents `a` (indexed), `b` (indexed, then submitted again), `c` (deleted), and the uploads of all of them. */
const aWorld = async () => {
  const { log, keys, story } = await aStory();
  const blobs = new InMemoryBlobStore();
  const journal = new Journal(log);
  await story.indexed('a', { texts: ['apple'] });
  await story.indexed('b', { texts: ['berry'] });
  await story.submitted('b', { texts: ['berry', 'cherry'] });
  await story.indexed('c', { texts: ['cedar'] });
  await story.deleted('c');
  const uploads: { document: string; version: number; blob: BlobKey }[] = [];
  for await (const { event } of journal.readAll({ types: ['DocumentSubmitted'] })) if (event.type === 'DocumentSubmitted') uploads.push({ document: event.data.documentId, version: event.data.version, blob: event.data.blob });
  const cipher = await keys.cipher(SCOPE);
  for (const { blob } of uploads) await blobs.put(blob, sealBlob(cipher, blob, Buffer.from(`bytes of ${blob}`)));
  const blobOf = (name: string, version: number): BlobKey => uploads.find((upload) => upload.document === theDocument(name) && upload.version === version)?.blob as BlobKey;
  return { blobs, keys, blobOf, check: () => checkUploads(journal, blobs, keys) };
};

describe('the check of uploads', () => {
  it('finds nothing where all of them open', async () => expect(await (await aWorld()).check()).toEqual([]));

  it('names a document whose upload is missing: of the version that searches find, and of the latest', async () => {
    const { blobs, blobOf, check } = await aWorld();
    for (const version of [1, 2]) await blobs.delete(blobOf('b', version));
    expect(await check()).toEqual([1, 2].map((version) => expect.stringContaining(`the upload of document ${theDocument('b')} (version ${version}) of tenant "acme" is missing. Send the file again with --force`)));
  });

  it('names a document whose upload was sealed for another one, or changed', async () => {
    const { blobs, blobOf, check } = await aWorld();
    const bytes = (await blobs.get(blobOf('a', 1))) ?? new Uint8Array();
    await blobs.put(blobOf('b', 2), bytes);
    bytes[20] = (bytes[20] ?? 0) ^ 1;
    await blobs.put(blobOf('a', 1), bytes);
    expect(await check()).toEqual(expect.arrayContaining([expect.stringContaining(`${theDocument('a')} (version 1) of tenant "acme" is damaged`), expect.stringContaining(`${theDocument('b')} (version 2) of tenant "acme" is damaged`)]));
  });

  it('names a document whose file does not hold what was written', async () => {
    const { blobs, blobOf, check } = await aWorld();
    const get = blobs.get.bind(blobs);
    blobs.get = async (key) => {
      if (key === blobOf('a', 1)) throw new Corrupt('other bytes');
      return get(key);
    };
    expect(await check()).toEqual([expect.stringContaining(`${theDocument('a')} (version 1) of tenant "acme" is damaged`)]);
  });

  it('needs no upload of a document that was deleted, or of an erased scope', async () => {
    const { blobs, keys, blobOf, check } = await aWorld();
    await blobs.delete(blobOf('c', 1));
    expect(await check()).toEqual([]);
    await keys.destroy(SCOPE);
    expect(await check()).toEqual([]);
  });
});
