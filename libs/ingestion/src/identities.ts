import { createHash } from 'node:crypto';
import { chunkId, sha256 } from '@palimpsest/knowledge/values';
import type { ScopeCipher } from '@palimpsest/knowledge/ports';
import type { ChunkId, ChunkingSettings, Digest, DocumentId, Labels, Origin } from '@palimpsest/knowledge/values';

const hash = (...parts: readonly unknown[]): Digest => sha256(createHash('sha256').update(JSON.stringify(parts)).digest('hex'));

/** Increase it when a parser or chunker changed so that documents must be re-chunked with the same settings. */
const PIPELINE = 2;

/** SHA-256 of an upload. It is never stored, since it would confirm guesses of the content. Exports carry it, next to the content. */
export const plainChecksumOf = (bytes: Uint8Array): Digest => sha256(createHash('sha256').update(bytes).digest('hex'));

export const checksumOf = (cipher: ScopeCipher, plainChecksum: Digest): Digest => sha256(cipher.digest(plainChecksum, 'checksum'));

type Determining = Readonly<{
  /** That of `plainChecksumOf`. */
  checksum: Digest;
  labels: Labels;
  origin: Origin;
  title?: string | undefined;
  fileName?: string | undefined;
  mediaType?: string | undefined;
  chunking: ChunkingSettings;
}>;

/** A hash of everything that determines a document's index entries. Never stored; versions before 0.2 stored it. */
export const plainFingerprintOf = ({ checksum, labels, origin, title, fileName, mediaType, chunking }: Determining): Digest =>
  hash('fingerprint', PIPELINE, checksum, labels, origin, title ?? null, fileName ?? null, mediaType ?? null, determining(chunking));

/** The parts that settings always had. An empty part of a later chunker must not change the fingerprints of earlier versions. */
const ALWAYS: readonly string[] = ['markdown', 'tokens', 'sheets', 'code'];
const determining = (chunking: ChunkingSettings): ChunkingSettings =>
  Object.fromEntries(Object.entries(chunking).filter(([name, numbers]) => ALWAYS.includes(name) || Object.keys(numbers).length > 0));

export const fingerprintOf = (cipher: ScopeCipher, plainFingerprint: Digest): Digest =>
  sha256(cipher.digest(plainFingerprint, 'fingerprint'));

export const contentHashOf = (cipher: ScopeCipher, contextPrefix: string, text: string): Digest =>
  sha256(cipher.digest(JSON.stringify([contextPrefix, text]), 'content'));

/** `occurrence`: 0 for the first chunk of this content in the document, 1 for the second, … */
export const chunkIdOf = (document: DocumentId, contentHash: Digest, occurrence: number): ChunkId =>
  chunkId(hash('chunk', document, contentHash, occurrence).slice(0, 32));
