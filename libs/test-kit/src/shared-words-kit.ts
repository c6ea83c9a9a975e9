import type { IndexStore, LexicalIndex, LexicalPut } from '@palimpsest/knowledge/read-models';
import { readable } from './index-fixture.ts';
import { putText } from './lexical-index-fixture.ts';
import { describeOrderedWrites, type OrderedWritesUnderTest } from './ordered-writes-kit.ts';

/** A word that no other variant has, and one that all have. */
const textOf = (variant: number): string => `variant${variant} apple`;

/** The contract of `OrderedWrites` for an index of words. */
export const describeSharedWords = (name: string, open: () => Promise<OrderedWritesUnderTest<LexicalPut>>): void =>
  describeOrderedWrites(`${name}, as shared words,`, {
    open,
    put: (chunk, variant) => putText(chunk, textOf(variant)),
    holders: async (index: IndexStore, variant, partition) => {
      const hits = await (index as LexicalIndex).search(readable(partition), `variant${variant}`, { k: 100 });
      return hits.map(({ chunkId }) => chunkId);
    },
  });
