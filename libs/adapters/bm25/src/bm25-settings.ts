import type { IndexPartition } from '@palimpsest/knowledge';
import type { Bm25Parameters } from './scoring/bm25.ts';

/** `Bm25Options`, checked and complete. */
export type Bm25Settings = Bm25Parameters & Readonly<{
  root: string; cacheBytes: number; compactFromBytes: number; kernelFromChunks: number;
  onDamage: (partition: IndexPartition, reason: string) => void;
}>;
