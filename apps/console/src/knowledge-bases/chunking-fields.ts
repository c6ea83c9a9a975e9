import type { KnowledgeBaseView } from '@palimpsest/client';

/** The numbers of a chunking, as the server names them, in the order in which they are asked for. */
export const CHUNKING_FIELDS = [
  { part: 'markdown', name: 'maxChars', label: 'Prose: characters in a chunk, at most' },
  { part: 'tokens', name: 'maxTokens', label: 'Plain text: tokens in a chunk, at most' },
  { part: 'tokens', name: 'overlap', label: 'Plain text: tokens that neighbours share' },
  { part: 'tokens', name: 'minTokens', label: 'Plain text: tokens in a chunk, at least' },
  { part: 'sheets', name: 'maxChars', label: 'Spreadsheets: characters in a chunk, at most' },
  { part: 'code', name: 'maxChars', label: 'Source code: characters in a chunk, at most' },
  { part: 'code', name: 'overlap', label: 'Source code: characters that neighbours share' },
] as const;

export type ChunkingField = (typeof CHUNKING_FIELDS)[number];
export type ChunkingNumbers = Readonly<Record<string, string>>;

export const fieldName = ({ part, name }: Pick<ChunkingField, 'part' | 'name'>): string => `${part}.${name}`;

/** As texts, for inputs. What a knowledge base does not tell is left empty. */
export const numbersOf = (chunking: KnowledgeBaseView['chunking']): ChunkingNumbers =>
  Object.fromEntries(
    CHUNKING_FIELDS.map((field) => {
      const value = (chunking[field.part] as Readonly<Record<string, unknown>> | undefined)?.[field.name];
      return [fieldName(field), typeof value === 'number' ? String(value) : ''];
    }),
  );

/** What was filled in; what is empty is the server's usual. What is no number goes as it is: the server says what would be. */
export const chunkingOf = (numbers: ChunkingNumbers): Record<string, Record<string, unknown>> => {
  const chunking: Record<string, Record<string, unknown>> = {};
  for (const field of CHUNKING_FIELDS) {
    const typed = numbers[fieldName(field)]?.trim() ?? '';
    if (typed === '') continue;
    (chunking[field.part] ??= {})[field.name] = Number.isNaN(Number(typed)) ? typed : Number(typed);
  }
  return chunking;
};
