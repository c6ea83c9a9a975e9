import type { DocumentView } from '@palimpsest/client';

/** Follows a count of chunks: says how many the embedding model refused, and what that means for searches. Empty if there are none. */
export const refusedChunks = ({ failedChunks, withoutVector }: Pick<DocumentView, 'failedChunks' | 'withoutVector'>): string =>
  [
    failedChunks > 0 ? `, ${failedChunks} refused by the model` : '',
    withoutVector > 0 ? `, ${withoutVector} found by words only` : '',
  ].join('');
