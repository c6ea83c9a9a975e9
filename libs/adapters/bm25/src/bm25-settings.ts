import type { ScopeKeys } from '@palimpsest/knowledge/ports';
import type { IndexPartition } from '@palimpsest/knowledge/read-models';
import type { Bm25Parameters } from './scoring/bm25.ts';

/** Validated `Bm25Options` with defaults. */
export type Bm25Settings = Bm25Parameters &
  Readonly<{
    root: string;
    keys: Pick<ScopeKeys, 'cipher'>;
    cacheBytes: number;
    compactFromBytes: number;
    kernelFromChunks: number;
    onDamage: (partition: IndexPartition, reason: string) => void;
  }>;
