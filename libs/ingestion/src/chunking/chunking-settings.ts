import { z } from 'zod';
import { parseInput } from '@palimpsest/contracts';
import type { ChunkingSettings as Settings } from '@palimpsest/knowledge';

const maxChars = z.number().int().min(200).max(16_000).exactOptional();
const part = z.number().int().min(0).exactOptional();

type Windowed = Readonly<{ maxTokens?: number; maxChars?: number; overlap?: number; minTokens?: number }>;
const NEEDS_SIZE = 'only with the size of a chunk next to it';

/** What is given as a part of a chunk's size needs that size, and must be small next to it. */
const partly = <Shape extends z.ZodType<Windowed>>(schema: Shape, field: 'overlap' | 'minTokens', most: number, words: string) =>
  schema.superRefine((value, context) => {
    const [size, given] = [value.maxTokens ?? value.maxChars, value[field]];
    if (given === undefined || (size !== undefined && given <= size * most)) return;
    context.addIssue({ code: 'custom', path: [field], message: size === undefined ? NEEDS_SIZE : words });
  });

const QUARTER = 'at most a quarter of the size of a chunk';

/**
 * For descriptions; read values with `chunkingSettings`. What is left out follows from the embedding model: a chunk with its
 * headings is then as large as the model reads at once (256 word pieces for the built-in one), at most 400 tokens. A chunk that is
 * larger than that because of its settings gets several vectors.
 */
export const chunkingSchema = z
  .strictObject({
    /** Markdown sections: UTF-16 units of a chunk's text, prefix not counted. */
    markdown: z.strictObject({ maxChars }).prefault({}),
    /** Plain text and PDF, in tokens of the embedding model. */
    tokens: partly(
      partly(z.strictObject({ maxTokens: z.number().int().min(32).max(8_000).exactOptional(), overlap: part, minTokens: part }), 'overlap', 0.25, QUARTER),
      'minTokens',
      0.4,
      'at most two fifths of maxTokens',
    ).prefault({}),
    /** Rows of a sheet, joined up to so many UTF-16 units. */
    sheets: z.strictObject({ maxChars }).prefault({}),
    /** Sliding window over code, UTF-16 units. */
    code: partly(z.strictObject({ maxChars, overlap: part }), 'overlap', 0.25, QUARTER).prefault({}),
  })
  .readonly();

export type ChunkingSettings = Settings;

/** What is left out follows from the embedding model. @throws InvalidValue naming the setting */
export const chunkingSettings = (raw: unknown = {}): ChunkingSettings => parseInput(chunkingSchema, raw, 'chunking');

/** What every knowledge base recorded before settings could be left open, unless its owner had chosen something else. */
const FORMER: ChunkingSettings = {
  markdown: { maxChars: 1_500 },
  tokens: { maxTokens: 500, overlap: 50, minTokens: 100 },
  sheets: { maxChars: 1_500 },
  code: { maxChars: 1_500, overlap: 200 },
};

/** What an owner chose. The former defaults count as not chosen: nobody can tell the two apart. */
export const saidSettings = ({ markdown, tokens, sheets, code }: ChunkingSettings): ChunkingSettings => ({
  markdown: isFormer('markdown', markdown) ? {} : markdown,
  tokens: isFormer('tokens', tokens) ? {} : tokens,
  sheets: isFormer('sheets', sheets) ? {} : sheets,
  code: isFormer('code', code) ? {} : code,
});

const isFormer = (kind: keyof ChunkingSettings, said: Readonly<Record<string, number>>): boolean => {
  const former: Readonly<Record<string, number>> = FORMER[kind];
  return Object.keys(former).every((name) => said[name] === former[name]);
};
