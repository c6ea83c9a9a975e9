import { z } from 'zod';
import type { ChunkingSettings } from '@palimpsest/knowledge/events';
import { parseInput } from '../parse-input.ts';

const maxChars = z.number().int().min(200).max(16_000).exactOptional();
const part = z.number().int().min(0).exactOptional();

type Windowed = Readonly<{ maxTokens?: number; maxChars?: number; overlap?: number; minTokens?: number }>;
const NEEDS_SIZE = 'the chunk size to be set as well';

/** A setting that is part of a chunk's size needs that size, and may be at most `max` of it. */
const partly = <Shape extends z.ZodType<Windowed>>(schema: Shape, field: 'overlap' | 'minTokens', max: number, words: string) =>
  schema.superRefine((value, context) => {
    const [size, given] = [value.maxTokens ?? value.maxChars, value[field]];
    if (given === undefined || (size !== undefined && given <= size * max)) return;
    context.addIssue({ code: 'custom', path: [field], message: size === undefined ? NEEDS_SIZE : words });
  });

const QUARTER = 'at most a quarter of the chunk size';

/**
 * For descriptions; parse values with `chunkingSettings`. Omitted settings follow from the embedding model: a chunk with its
 * headings then fills one window of the model (256 word pieces for the built-in one), at most 400 tokens. A chunk that is
 * larger because of its settings gets several vectors.
 */
export const chunkingSchema = z
  .strictObject({
    /** Markdown sections: UTF-16 units of a chunk's text, prefix not counted. */
    markdown: z.strictObject({ maxChars }).prefault({}),
    /** Plain text and PDF, in tokens of the embedding model. */
    tokens: partly(
      partly(
        z.strictObject({ maxTokens: z.number().int().min(32).max(8_000).exactOptional(), overlap: part, minTokens: part }),
        'overlap',
        0.25,
        QUARTER,
      ),
      'minTokens',
      0.4,
      'at most two fifths of maxTokens',
    ).prefault({}),
    /** Rows of a sheet, joined up to `maxChars` UTF-16 units. */
    sheets: z.strictObject({ maxChars }).prefault({}),
    /** Sliding window over code, UTF-16 units. */
    code: partly(z.strictObject({ maxChars, overlap: part }), 'overlap', 0.25, QUARTER).prefault({}),
  })
  .readonly();

/** Omitted settings follow from the embedding model. @throws InvalidValue that names the setting */
export const chunkingSettings = (raw: unknown = {}): ChunkingSettings => parseInput(chunkingSchema, raw, 'chunking');
