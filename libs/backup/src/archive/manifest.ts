import { z } from 'zod';
import { UnusableFile } from '../sealed/refusal.ts';

/** The content of a backup file, beneath the seal. */
export const CONTENT_FORMAT = 1;

const part = z.object({
  /** Streams, events, blobs or files. */
  items: z.number().int().nonnegative(),
  bytes: z.number().int().nonnegative(),
  /** Over the part's records, in order. */
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
});

const head = z.object({ format: z.number().int(), createdAt: z.string(), by: z.string(), position: z.number().int().nonnegative() });
const manifest = head.extend({
  parts: z.object({ streams: part, events: part, blobs: part, files: part }),
  /** Uploads that the log names, and that were not there, or damaged, when the backup was made: the first of them. */
  missing: z.object({ count: z.number().int().nonnegative(), first: z.array(z.string()) }),
});

/** Comes first: from when, and up to which position of the log. */
export type Head = Readonly<z.output<typeof head>>;
/** Comes last: what was written, for whoever reads it to compare. The digest of the log's events in order is `parts.events.sha256`. */
export type Manifest = Readonly<z.output<typeof manifest>>;
export type PartFigures = Readonly<z.output<typeof part>>;

const parsed = <Out>(schema: z.ZodType<Out>, content: Buffer, what: string): Out => {
  try {
    return schema.parse(JSON.parse(content.toString()));
  } catch (cause) {
    throw new UnusableFile(`the ${what} of the backup is not what this Palimpsest reads`, { cause });
  }
};

/** @throws UnusableFile */
export const readHead = (content: Buffer): Head => {
  const { format } = parsed(z.looseObject({ format: z.number() }), content, 'beginning');
  if (format !== CONTENT_FORMAT) throw new UnusableFile(`the backup has format ${format}, written by a newer Palimpsest; this one reads ${CONTENT_FORMAT}`);
  return parsed(head, content, 'beginning');
};

/** @throws UnusableFile */
export const readManifest = (content: Buffer): Manifest => parsed(manifest, content, 'manifest');
