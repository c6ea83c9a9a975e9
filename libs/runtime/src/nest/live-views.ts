import type { CatalogReader, LexicalSearch, ReadModels, ReadView, VectorSearch, Views } from '@palimpsest/knowledge';

/** A process that answers no searches has no indexes, and asks for `Views<CatalogView>`. */
export type ReadModelParts = Readonly<{ catalog: CatalogReader; vectors: VectorSearch; lexical: LexicalSearch; readModels: Pick<ReadModels, 'position' | 'serving'> }>;

/** The views of the read models of this process. */
export const liveViews = ({ catalog, vectors, lexical, readModels }: ReadModelParts): Views => {
  const live: ReadView = { catalog, vectors, lexical, position: () => readModels.position(), serving: () => readModels.serving() };
  return { live: () => live };
};
