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
