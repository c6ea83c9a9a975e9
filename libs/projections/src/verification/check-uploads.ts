import { openBlob, sealedFor, type Journal } from '@palimpsest/contracts';
import { Corrupt } from '@palimpsest/knowledge/errors';
import { ScopeKeyDestroyed } from '@palimpsest/knowledge/ports';
import type { BlobKey, BlobStore, ScopeKeys } from '@palimpsest/knowledge/ports';
import type { Sealing } from '@palimpsest/knowledge/subjects';
import type { DocumentId } from '@palimpsest/knowledge/values';

/** An upload that is still needed: of the indexed version or of the latest one. */
type Upload = Readonly<{ scope: Sealing; documentId: DocumentId; version: number; blob: BlobKey }>;
type Versions = { indexed?: Upload; latest: Upload };

const CONCURRENCY = 4;

/**
 * Reads and opens every upload that a document still needs. Returns a sentence for each that is missing or damaged: the checksum of
 * the file shows changed bytes, the tag of the seal shows that it belongs to this scope and document.
 */
export const checkUploads = async (
  journal: Journal,
  blobs: BlobStore,
  keys: ScopeKeys,
  signal?: AbortSignal,
): Promise<readonly string[]> => {
  const uploads = await neededUploads(journal);
  const damage: string[] = [];
  const work = uploads[Symbol.iterator]();
  const worker = async (): Promise<void> => {
    for (const upload of work) {
      signal?.throwIfAborted();
      const problem = await problemOf(upload, blobs, keys);
      if (problem !== undefined) damage.push(problem);
    }
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, worker));
  return damage.sort();
};

const neededUploads = async (journal: Journal): Promise<readonly Upload[]> => {
  const documents = new Map<string, Versions & { all: Map<number, Upload> }>();
  for await (const { event, metadata } of journal.readAll({ types: ['DocumentSubmitted', 'DocumentIndexed', 'DocumentDeleted'] })) {
    const scope = sealedFor(metadata);
    if (scope === undefined) continue;
    if (event.type === 'DocumentSubmitted') {
      const { documentId, version, blob } = event.data;
      const upload = { scope, documentId, version, blob };
      const known = documents.get(keyOf(metadata.tenant, documentId));
      documents.set(keyOf(metadata.tenant, documentId), {
        ...known,
        latest: upload,
        all: (known?.all ?? new Map<number, Upload>()).set(version, upload),
      });
    } else if (event.type === 'DocumentIndexed') {
      const known = documents.get(keyOf(metadata.tenant, event.data.documentId));
      const indexed = known?.all.get(event.data.version);
      if (known === undefined || indexed === undefined) continue;
      known.indexed = indexed;
      // Earlier versions are no longer needed.
      for (const version of known.all.keys()) if (version < event.data.version) known.all.delete(version);
    } else if (event.type === 'DocumentDeleted') documents.delete(keyOf(metadata.tenant, event.data.documentId));
  }
  return [...documents.values()].flatMap(({ indexed, latest }) =>
    indexed === undefined || indexed.blob === latest.blob ? [latest] : [indexed, latest],
  );
};

const keyOf = (tenant: string, document: DocumentId): string => `${tenant}/${document}`;

const problemOf = async ({ scope, documentId, version, blob }: Upload, blobs: BlobStore, keys: ScopeKeys): Promise<string | undefined> => {
  const name = `the upload of document ${documentId} (version ${version}) of tenant "${scope.tenant}"`;
  const remedy = 'Upload the file again with --force, or restore the blobs from a backup';
  try {
    // Those of an erased scope or data subject are deleted.
    const cipher = await keys.cipher(scope);
    const sealed = await blobs.get(blob);
    if (sealed === undefined) return `${name} is missing. ${remedy}`;
    openBlob(cipher, blob, sealed);
    return undefined;
  } catch (error) {
    if (error instanceof Corrupt) return `${name} is damaged. ${remedy}`;
    if (error instanceof ScopeKeyDestroyed) return undefined;
    throw error;
  }
};
