import { z } from 'zod';
import { list, part, view } from '../view.ts';
import { position } from './documents.ts';

const store = z.enum(['vectors', 'lexical', 'catalog']);
const kind = z.enum(['missing', 'extra', 'different']);

const difference = view(
  'Difference',
  {
    store,
    kind,
    chunkId: z.string().exactOptional(),
    row: z.string().exactOptional(),
    tenant: z.string(),
    scope: z.string(),
    generation: z.string().exactOptional(),
  },
  'A difference in a chunk, or in another `row` of the catalog.',
);
export type Difference = z.infer<typeof difference>;

export const verifyResult = view(
  'VerifyResult',
  {
    clean: z.boolean(),
    full: z
      .boolean()
      .describe('Whether what the log says was computed from all of it, and not only from what followed the previous verification.'),
    position,
    partitions: list(
      part({
        scope: z.string(),
        tenant: z.string(),
        generation: z.string(),
        chunks: z.number(),
        withoutVector: z.number(),
        fingerprint: z.string(),
      }),
    ).describe(
      '`withoutVector`: how many of the `chunks` the model refused; only lexical search finds them. `fingerprint`: the sum modulo 2^256 of the SHA-256 of all index entries, in any order.',
    ),
    differenceCount: z.number().describe('Number of all differences. The list may hold only the first ones.').exactOptional(),
    logDamage: list(z.string())
      .describe('Damage in the files of the log, one sentence each. If there is any, nothing was compared. Missing if the log is a server.')
      .exactOptional(),
    keyDamage: list(z.string())
      .describe('Missing or damaged scope keys and key files, one sentence each. If a scope key is damaged, nothing was compared.')
      .exactOptional(),
    uploadDamage: list(z.string()).describe('Missing or damaged uploads, one sentence each.').exactOptional(),
    differences: list(difference),
  },
  'Result of comparing the stores with the log.',
);
export type VerifyResult = z.infer<typeof verifyResult>;

const count = part({ store, kind, count: z.number() });

export const verificationRecord = view(
  'VerificationRecord',
  {
    startedAt: z.string(),
    trigger: z.enum(['scheduled', 'requested', 'repair']).describe('`repair`: before and after a repair.'),
    seconds: z.number(),
    reason: z.string().describe('Why it could not be completed. Then the following fields are missing.').exactOptional(),
    clean: z.boolean().exactOptional(),
    full: z.boolean().describe('See `VerifyResult`.').exactOptional(),
    position: position.exactOptional(),
    chunks: z.number().describe('Chunks of all generations that were compared.').exactOptional(),
    differences: list(count).describe('By store and kind.').exactOptional(),
    damage: z.number().describe('Number of sentences about the log, keys and uploads.').exactOptional(),
  },
  'A verification that has ended.',
);
export type VerificationRecord = z.infer<typeof verificationRecord>;

const repairedCount = part({
  store,
  kind,
  tenant: z.string().exactOptional(),
  scope: z.string().exactOptional(),
  generation: z.string().exactOptional(),
  count: z.number(),
});
const repairedCounts = list(repairedCount).describe('By store, kind, scope and generation, the largest first; at most 1,000.');

const repairRecord = view(
  'RepairRecord',
  {
    repairedAt: z.string(),
    by: z.string().describe('Id of the API key, or `scheduled-verification`.'),
    trigger: z.enum(['requested', 'scheduled']),
    upTo: position,
    total: z.number(),
    counts: repairedCounts,
    chunkIds: list(z.string()).describe('At most 100.'),
    remaining: z.number().describe('Differences that were still there.'),
  },
  'A repair, as it is recorded on the log.',
);
export type RepairRecord = z.infer<typeof repairRecord>;

export const verificationHistory = view('VerificationHistory', {
  running: z.boolean(),
  everyHours: z.number().describe('0: verifications are not scheduled.'),
  repair: z.enum(['manual', 'auto']).describe('Whether a scheduled verification repairs what it finds.'),
  verifications: list(verificationRecord).describe('The last 20 of the process that responds, since its start; the newest first.'),
  repairs: list(repairRecord).describe('The last 20 of all processes; the newest first.'),
});
export type VerificationHistory = z.infer<typeof verificationHistory>;

export const repairResult = view('RepairResult', {
  repaired: z.number().describe('Differences that are gone.'),
  counts: repairedCounts,
  seconds: z.number().describe('Duration of the writes, without the verifications before and after them.'),
  after: verifyResult.describe('The verification afterwards, of all scopes: `differences` are those that remain.'),
});
export type RepairResult = z.infer<typeof repairResult>;
