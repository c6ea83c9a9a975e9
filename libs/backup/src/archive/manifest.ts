import { createHash } from 'node:crypto';
import { z } from 'zod';
import { UnusableFile } from '../sealed/refusal.ts';

/** The format of a backup's content, inside the seal. Format 1 had no truncations. */
export const CONTENT_FORMAT = 2;
const READ_FORMATS: readonly number[] = [1, CONTENT_FORMAT];

const part = z.object({
  /** Streams, events, truncated streams, blobs or files. */
  items: z.number().int().nonnegative(),
  bytes: z.number().int().nonnegative(),
  /** SHA-256 of the part's records, in order. */
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
});

const NOTHING = { items: 0, bytes: 0, sha256: createHash('sha256').digest('hex') };

const head = z.object({ format: z.number().int(), createdAt: z.string(), by: z.string(), position: z.number().int().nonnegative() });
const manifest = head.extend({
  parts: z.object({ streams: part, events: part, truncations: part.default(NOTHING), blobs: part, files: part }),
  /** Uploads that the log names but that were missing or damaged at the time of the backup: their number and the first keys. */
  missing: z.object({ count: z.number().int().nonnegative(), first: z.array(z.string()) }),
});

/** The first record: the time of the backup, and the position of the log that it reaches. */
export type Head = Readonly<z.output<typeof head>>;
/** The last record: what was written, so that a reader can compare. `parts.events.sha256` is the digest of all events in log order. */
export type Manifest = Readonly<z.output<typeof manifest>>;
export type PartFigures = Readonly<z.output<typeof part>>;

const parsed = <Out>(schema: z.ZodType<Out>, content: Buffer, what: string): Out => {
  try {
    return schema.parse(JSON.parse(content.toString()));
  } catch (cause) {
    throw new UnusableFile(`this version of Palimpsest cannot read the ${what} of the backup`, { cause });
  }
};

/** @throws UnusableFile */
export const readHead = (content: Buffer): Head => {
  const { format } = parsed(z.looseObject({ format: z.number() }), content, 'head');
  if (!READ_FORMATS.includes(format))
    throw new UnusableFile(`the backup has format ${format}, written by a newer Palimpsest; this one reads ${READ_FORMATS.join(' and ')}`);
  return parsed(head, content, 'head');
};

/** @throws UnusableFile */
export const readManifest = (content: Buffer): Manifest => parsed(manifest, content, 'manifest');
