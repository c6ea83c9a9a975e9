import { z } from 'zod';
import { list, part, view } from '../view.ts';
import { position } from './documents.ts';

const digest = z.string();

export const signingKey = view(
  'SigningKey',
  {
    keyId: z.string(),
    algorithm: z.literal('Ed25519'),
    publicKey: z.string(),
  },
  'The key with which this installation signs. `publicKey`: 32 bytes, Base64. `keyId`: the first 16 hexadecimal digits of its SHA-256. It is derived from the master key, so it changes only with that.',
);
export type SigningKey = z.infer<typeof signingKey>;

const logFinding = view(
  'LogFinding',
  {
    kind: z.enum(['changed', 'removed', 'inserted', 'reordered']),
    position,
    stream: z.string().exactOptional(),
    message: z.string(),
  },
  'What was done to a record of the log after it was signed.',
);

export const logCheck = view(
  'LogCheck',
  {
    intact: z.boolean().describe('True if no signed record was changed, removed, inserted or reordered.'),
    records: z.number().describe('Number of records that are as they were signed.'),
    expired: z.number().describe('Number of signed records that the log has removed since, because their stream has an age limit.'),
    unsigned: z.number().describe('Number of records after the last checkpoint. Nothing protects them yet.'),
    checkpoints: z.number(),
    last: part({ number: z.number(), digest, upTo: position, signedAt: z.string() })
      .describe(
        'The last checkpoint. Keep its number and digest outside of the installation: a later check with them finds out if the log was cut off.',
      )
      .exactOptional(),
    findingCount: z.number().describe('Number of all findings. The list may hold only the first ones.'),
    findings: list(logFinding).describe('In the order of the log.'),
    keyId: z.string(),
  },
  'Result of comparing the log with its signed checkpoints.',
);
export type LogCheckResult = z.infer<typeof logCheck>;

const checkpoint = view(
  'SignedCheckpoint',
  {
    number: z.number(),
    after: position,
    upTo: position,
    records: z.number(),
    root: digest,
    previous: digest,
    signedAt: z.string(),
    keyId: z.string(),
    signature: z.string(),
  },
  'A signed statement about the records of the log after one position, up to another. `root`: of the Merkle tree of the records (RFC 9162). `previous`: SHA-256 of the previous statement. `signature`: Ed25519 over the canonical JSON (RFC 8785) of the other fields and `"kind": "palimpsest-log-checkpoint/1"`, Base64.',
);

const provenRecord = view(
  'ProvenRecord',
  {
    position,
    stream: z.string(),
    revision: z.number(),
    recordedAt: z.string(),
    type: z.string(),
    id: z.string(),
    data: z.record(z.string(), z.unknown()),
    metadata: z.record(z.string(), z.unknown()),
    checkpoint: z.number(),
    index: z.number(),
    path: list(z.string()),
  },
  'A record of the log as it is stored, with the proof that it is in a checkpoint: its place among the records and the hashes from there to the root, Base64.',
);

const lineageHit = view('LineageHit', {
  rank: z.number(),
  chunkId: z.string(),
  documentId: z.string(),
  version: z.number().describe('Version of the document that the search saw.'),
  events: part({
    submitted: position.describe('`DocumentSubmitted`: the upload of this version.'),
    chunk: position.describe('`KnowledgeChunkIndexed`: the text of the passage.'),
    vector: position.describe('`KnowledgeChunkReembedded`: its vector, if another model made it later.').exactOptional(),
    indexed: position.describe('`DocumentIndexed`: it made the passages of this version visible.'),
  }),
  source: part({ sha256: digest, bytes: z.number() }).describe('The uploaded bytes. Missing if they were deleted.').exactOptional(),
  text: part({ sha256: digest, content: z.string() }).describe('The text of the passage. Missing if it was erased.').exactOptional(),
});

export const lineageReceipt = view(
  'LineageReceipt',
  {
    kind: z.literal('palimpsest-lineage/1'),
    issuedAt: z.string(),
    traceId: z.string(),
    retrieval: position.describe('Position of the record of the search.'),
    hits: list(lineageHit),
    records: list(provenRecord),
    checkpoints: list(checkpoint),
    publicKey: z.string(),
    signature: z.string(),
  },
  'Where the results of a search came from: uploaded bytes → version of a document → passage → events → search. `signature`: Ed25519 over the canonical JSON (RFC 8785) of all other fields, Base64. `palimpsest receipt check` checks it without a server.',
);
export type LineageReceipt = z.infer<typeof lineageReceipt>;
