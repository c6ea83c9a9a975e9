import type { Clock } from '@palimpsest/foundation';
import type { CatalogReader, LexicalSearch, ReadModels, ReadView, VectorSearch, Views } from '@palimpsest/knowledge/read-models';
import type { Readers } from '@palimpsest/projections';
import type { CorePorts } from './core-ports.ts';

type ReadModelParts = Readonly<{
  catalog: CatalogReader;
  vectors: VectorSearch;
  lexical: LexicalSearch;
  readModels: Pick<ReadModels, 'position' | 'serving'>;
}>;

/** The views of the read models of this process, and when they were used. */
const liveViews = ({ catalog, vectors, lexical, readModels }: ReadModelParts, clock: Clock): Views & Readers => {
  const live: ReadView = { catalog, vectors, lexical, position: () => readModels.position(), serving: () => readModels.serving() };
  let last = -Infinity;
  return {
    live: () => {
      last = clock.elapsed();
      return live;
    },
    sinceLastMs: () => clock.elapsed() - last,
  };
};

const none = (): never => {
  throw new Error('this process has no indexes');
};
const NO_VECTORS: VectorSearch = { search: none, spread: none };
const NO_WORDS: LexicalSearch = { search: none, spread: none, select: none, frequencies: none };

/** The views of a process that may have no indexes: its features ask only for `Views<CatalogView>`. */
export const viewsOf = ({ catalog, vectors, lexical, readModels, system }: CorePorts): Views & Readers =>
  liveViews({ catalog, vectors: vectors ?? NO_VECTORS, lexical: lexical ?? NO_WORDS, readModels }, system.clock);
