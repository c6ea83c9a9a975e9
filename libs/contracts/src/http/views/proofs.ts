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
    vacuumed: z.number().describe('Number of signed records that the log has removed as old history since. Records on the log list them.'),
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

export const erasureReceipt = view(
  'ErasureReceipt',
  {
    kind: z.literal('palimpsest-erasure/1'),
    erasure: z.string(),
    tenant: z.string(),
    scope: z.string().describe('The scope that was erased.').exactOptional(),
    subject: z.string().describe('Or the key of the person that was destroyed, in the scopes `scopes`.').exactOptional(),
    scopes: list(z.string())
      .describe('Of a person: where the documents were. Without `scope` and `subject`: all scopes of the tenant.')
      .exactOptional(),
    requestedAt: z.string(),
    erasedAt: z.string().describe('When the key was destroyed.'),
    completedAt: z.string(),
    unreadable: part({
      records: z.number(),
      documents: z.number(),
      passages: z.number(),
      first: position,
      last: position,
      root: digest,
    }).describe(
      'The records of the scope or about the person, which stay on the log and cannot be read by anyone. `root`: of the Merkle tree (RFC 9162) of these records as they are stored. They are sealed with random nonces under the destroyed key, so no guess can be confirmed from it.',
    ),
    removed: list(part({ store: z.string(), state: z.enum(['removed', 'unreadable']), detail: z.string() })).describe(
      'What was derived from the scope, and what was done to it.',
    ),
    residueScan: part({ secrets: z.number(), files: z.number(), bytes: z.number(), found: z.number(), detail: z.string() })
      .describe(
        'Afterwards, the files of the process that erased it were searched for samples of the scope: titles, sources, labels, lines of texts, pieces of vectors. `secrets`: how many. `detail`: which files, or why there was no scan. The erasure is not complete while something is found. Missing in receipts of earlier versions.',
      )
      .exactOptional(),
    notCovered: list(z.string()).describe('What this erasure does not reach.'),
    proof: part({ record: provenRecord, checkpoint }).describe(
      'The event of the erasure as it is on the log, and the signed checkpoint that contains it.',
    ),
    publicKey: z.string(),
    signature: z.string(),
  },
  'That a scope, or everything about a person, was erased: what became unreadable, what was removed, and what is not covered. `signature`: Ed25519 over the canonical JSON (RFC 8785) of all other fields, Base64. `palimpsest receipt check` checks it without a server.',
);
export type ErasureReceipt = z.infer<typeof erasureReceipt>;

export const scopeErasure = view(
  'ScopeErasure',
  {
    scope: z.string(),
    held: part({ reason: z.string(), since: z.string() }).describe('Set while the scope must not be erased.').exactOptional(),
    erasure: z.string().exactOptional(),
    state: z
      .enum(['none', 'requested', 'erased', 'completed'])
      .describe(
        '`requested`: it cannot be stopped any more. `erased`: searches find nothing, and nothing that is stored of the scope can be read: its key is destroyed. `completed`: everything that was derived from it is removed, and there is a receipt.',
      ),
    requestedAt: z.string().exactOptional(),
    erasedAt: z.string().exactOptional(),
    completedAt: z.string().exactOptional(),
    position: position.describe('Position of the last event of the scope.').exactOptional(),
  },
  'Whether a scope is being erased, or must not be.',
);
export type ScopeErasure = z.infer<typeof scopeErasure>;

const removal = {
  knowledgeBase: z.string().describe('Only of documents of this knowledge base.').exactOptional(),
  upTo: position.describe('What was replaced or deleted until then is removed.'),
};

export const historyStatus = view(
  'HistoryStatus',
  {
    scope: z.string(),
    earliest: position.describe(
      'The earliest position at which searches of the scope still give what they gave then. 0 if all of its history is there.',
    ),
    running: part({ ...removal, keepDays: z.number(), startedAt: z.string() })
      .describe('The removal in progress.')
      .exactOptional(),
    last: part({
      ...removal,
      documents: z.number().describe('Number of documents whose history was removed.'),
      records: z.number().describe('Number of records that the log removed.'),
      uploads: z.number().describe('Number of files of earlier versions that were deleted.'),
      left: z.number().describe('Number of documents that were being processed, or changed at the same time. Their turn is the next time.'),
      completedAt: z.string(),
    })
      .describe('The last one that is complete.')
      .exactOptional(),
    position: position.describe('Position of the last event about it.').exactOptional(),
  },
  'How much of the history of a scope is on the log.',
);
export type HistoryStatus = z.infer<typeof historyStatus>;

export const subjectFound = view(
  'SubjectFound',
  { documents: z.number(), passages: z.number(), scopes: z.number().describe('How many scopes have such documents.') },
  'What the log has about a person.',
);
export type SubjectFound = z.infer<typeof subjectFound>;

export const subjectErasure = view(
  'SubjectErasure',
  {
    subject: z.string().describe('The key that sealed the documents about the person; it names the erasure.'),
    state: z
      .enum(['none', 'requested', 'erased', 'completed'])
      .describe(
        '`requested`: it cannot be stopped any more. `erased`: the documents are deleted, and nothing that is stored about the person can be read: the key is destroyed. `completed`: everything that was derived from them is removed, and there is a receipt.',
      ),
    documents: z.number().describe('How many documents were erased, with those that had been deleted before.').exactOptional(),
    requestedAt: z.string().exactOptional(),
    erasedAt: z.string().exactOptional(),
    completedAt: z.string().exactOptional(),
    position: position.describe('Position of the last event of the erasure.'),
  },
  'How far the erasure of a person is.',
);
export type SubjectErasure = z.infer<typeof subjectErasure>;

export const tenantErasure = view(
  'TenantErasure',
  {
    tenant: z.string(),
    erasure: z.string(),
    state: z
      .enum(['requested', 'erased', 'completed'])
      .describe(
        '`requested`: it cannot be stopped any more. `erased`: the keys of all scopes are destroyed. `completed`: everything that was derived from the scopes is removed, and there is a receipt.',
      ),
    scopes: list(z.string()).describe('The scopes that were erased.').exactOptional(),
    requestedAt: z.string(),
    erasedAt: z.string().exactOptional(),
    completedAt: z.string().exactOptional(),
    position: position.describe('Position of the last event of the tenant.'),
  },
  'How far the erasure of a tenant is.',
);
export type TenantErasure = z.infer<typeof tenantErasure>;
