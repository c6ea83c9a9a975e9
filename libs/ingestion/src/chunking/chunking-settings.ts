import { z } from 'zod';
import { parseInput } from '@palimpsest/contracts';

const chars = (fallback: number) => z.number().int().min(200).max(16_000).default(fallback);

const overlapping = <Shape extends z.ZodType<{ overlap: number }>>(schema: Shape, max: (value: z.output<Shape>) => number) =>
  schema.refine((value) => value.overlap <= max(value) / 4, { path: ['overlap'], error: 'expected at most a quarter of the window' });

/** For descriptions; read values with `chunkingSettings`. */
export const chunkingSchema = z
  .strictObject({
    /** Markdown sections: UTF-16 units of a chunk's text, prefix not counted. */
    markdown: z.strictObject({ maxChars: chars(1_500) }).prefault({}),
    /**
     * Plain text and PDF, in tokens of the counter. An embedding model cuts what is beyond its own reach (256 word pieces for
     * all-MiniLM-L6-v2): `maxTokens` 200, `overlap` 20, `minTokens` 40 leave it nothing to cut.
     */
    tokens: overlapping(
      z.strictObject({
        maxTokens: z.number().int().min(32).max(8_000).default(500),
        overlap: z.number().int().min(0).default(50),
        minTokens: z.number().int().min(0).default(100),
      }),
      ({ maxTokens }) => maxTokens,
    )
      .refine(({ minTokens, maxTokens }) => minTokens <= maxTokens * 0.4, { path: ['minTokens'], error: 'expected at most two fifths of maxTokens' })
      .prefault({}),
    /** Rows of a sheet, joined up to so many UTF-16 units. */
    sheets: z.strictObject({ maxChars: chars(1_500) }).prefault({}),
    /** Sliding window over code, UTF-16 units. */
    code: overlapping(
      z.strictObject({ maxChars: chars(1_500), overlap: z.number().int().min(0).default(200) }),
      ({ maxChars }) => maxChars,
    ).prefault({}),
  })
  .readonly();

export type ChunkingSettings = z.output<typeof chunkingSchema>;

/** What is not given takes its default. @throws InvalidValue naming the setting */
export const chunkingSettings = (raw: unknown = {}): ChunkingSettings => parseInput(chunkingSchema, raw, 'chunking');
