import type { DocumentView } from '@palimpsest/client';
import { count } from '../format/format.ts';

/** What searches miss of a document because the embedding model refused chunks. */
export const refusedChunks = ({ failedChunks, withoutVector }: Pick<DocumentView, 'failedChunks' | 'withoutVector'>): readonly string[] => [
  ...(failedChunks > 0 ? [`${count(failedChunks)} refused by the model`] : []),
  ...(withoutVector > 0 ? [`${count(withoutVector)} found by words only`] : []),
];
