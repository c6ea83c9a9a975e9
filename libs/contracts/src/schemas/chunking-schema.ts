import { z } from 'zod';
import { CHUNKERS, type ChunkingNumber, type ChunkingSettings } from '@palimpsest/knowledge/values';
import { mapped } from '../mapped.ts';
import { parseInput } from '../parse-input.ts';

type Numbers = Readonly<Record<string, number | undefined>>;

const number = ({ min, max }: ChunkingNumber) => {
  const whole = z.number().int().min(min);
  return (max === undefined ? whole : whole.max(max)).exactOptional();
};

/** Whether a number keeps its share of the chunk's size; otherwise what was expected. */
const problemOf = (given: number | undefined, size: number | undefined, { ofSize }: ChunkingNumber): string | undefined => {
  if (ofSize === undefined || given === undefined) return undefined;
  if (size === undefined) return 'the chunk size to be set as well';
  return given <= size * ofSize.share ? undefined : ofSize.words;
};

const part = (settings: Readonly<Record<string, ChunkingNumber>>) =>
  z
    .strictObject(mapped<ChunkingNumber, z.ZodType<number | undefined>>(settings, number))
    .superRefine((value: Numbers, context) => {
      const size = value['maxTokens'] ?? value['maxChars'];
      for (const [name, setting] of Object.entries(settings)) {
        const message = problemOf(value[name], size, setting);
        if (message !== undefined) context.addIssue({ code: 'custom', path: [name], message });
      }
    })
    .prefault({});

/** For descriptions; parse values with `chunkingSettings`. */
export const chunkingSchema = z.strictObject(mapped(CHUNKERS, ({ settings }) => part(settings))).readonly() as unknown as z.ZodType<
  ChunkingSettings,
  ChunkingSettings
>;

/** Omitted settings follow from the embedding model. @throws InvalidValue that names the setting */
export const chunkingSettings = (raw: unknown = {}): ChunkingSettings => parseInput(chunkingSchema, raw, 'chunking');
