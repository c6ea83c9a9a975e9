import type { WaitingDocument } from '@palimpsest/knowledge/read-models';
import type { HeldDocuments } from '../src/held-documents.ts';

/** The same held documents for every knowledge base, in pages of at most `pageSize`. */
export const holding = (documents: readonly WaitingDocument[] = [], pageSize = 2): HeldDocuments => ({
  async *waiting() {
    for (let from = 0; from < documents.length; from += pageSize) yield documents.slice(from, from + pageSize);
  },
});
