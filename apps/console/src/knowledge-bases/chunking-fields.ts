import type { KnowledgeBaseView } from '@palimpsest/client';

/** The numbers of a chunking configuration, by the server's names, in the order of the form. */
export const CHUNKING_FIELDS = [
  { part: 'markdown', name: 'maxChars', label: 'Prose: maximum characters per chunk' },
  { part: 'tokens', name: 'maxTokens', label: 'Plain text: maximum tokens per chunk' },
  { part: 'tokens', name: 'overlap', label: 'Plain text: overlap in tokens' },
  { part: 'tokens', name: 'minTokens', label: 'Plain text: minimum tokens per chunk' },
  { part: 'sheets', name: 'maxChars', label: 'Spreadsheets: maximum characters per chunk' },
  { part: 'code', name: 'maxChars', label: 'Source code: maximum characters per chunk' },
  { part: 'code', name: 'overlap', label: 'Source code: overlap in characters' },
] as const;

export type ChunkingField = (typeof CHUNKING_FIELDS)[number];
export type ChunkingNumbers = Readonly<Record<string, string>>;

export const fieldName = ({ part, name }: Pick<ChunkingField, 'part' | 'name'>): string => `${part}.${name}`;

/** The values as texts, for inputs. A value that the knowledge base does not set is empty. */
export const numbersOf = (chunking: KnowledgeBaseView['chunking']): ChunkingNumbers =>
  Object.fromEntries(
    CHUNKING_FIELDS.map((field) => {
      const value = (chunking[field.part] as Readonly<Record<string, unknown>> | undefined)?.[field.name];
      return [fieldName(field), typeof value === 'number' ? String(value) : ''];
    }),
  );

/** The entered values; the server uses its defaults for the others. Invalid numbers are sent unchanged: the server explains them. */
export const chunkingOf = (numbers: ChunkingNumbers): Record<string, Record<string, unknown>> => {
  const chunking: Record<string, Record<string, unknown>> = {};
  for (const field of CHUNKING_FIELDS) {
    const entered = numbers[fieldName(field)]?.trim() ?? '';
    if (entered === '') continue;
    (chunking[field.part] ??= {})[field.name] = Number.isNaN(Number(entered)) ? entered : Number(entered);
  }
  return chunking;
};
