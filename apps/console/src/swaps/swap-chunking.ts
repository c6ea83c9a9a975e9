import type { SwapTarget, SwapView } from '@palimpsest/client';
import { CHUNKING_FIELDS, chunkingOf, type ChunkingNumbers } from '../knowledge-bases/chunking-fields.ts';

type Chunking = SwapView['generations'][number]['chunking'];

/** The chunking of a generation in words. Numbers that are not set follow from the model. */
export const chunkingText = (chunking: Chunking): string => {
  if (chunking === undefined) return 'of each knowledge base';
  const set = CHUNKING_FIELDS.flatMap(({ part, name, label }) => {
    const value = (chunking[part] as Readonly<Record<string, unknown>> | undefined)?.[name];
    return typeof value === 'number' ? [`${label}: ${value}`] : [];
  });
  return set.length === 0 ? 'the same for all knowledge bases' : set.join('; ');
};

/** `present`: the chunks stay as they are. `settings`: the numbers apply to every knowledge base of the scope. */
export type ChunkingChoice = Readonly<{ kind: 'present' | 'knowledge-base' | 'settings'; numbers: ChunkingNumbers }>;
export const PRESENT: ChunkingChoice = { kind: 'present', numbers: {} };

/** What a swap is asked for. */
export const chunkingIn = ({ kind, numbers }: ChunkingChoice): Pick<SwapTarget, 'chunking'> => {
  if (kind === 'present') return {};
  return { chunking: kind === 'settings' ? (chunkingOf(numbers) as NonNullable<SwapTarget['chunking']>) : kind };
};
