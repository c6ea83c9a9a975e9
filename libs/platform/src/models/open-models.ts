import { BM25_ANALYSER_VERSION } from '@palimpsest/adapters-bm25';
import { gptTokenCounter } from '@palimpsest/adapters-documents';
import { openEmbeddingModels } from './embedding-models.ts';

type Settings = Parameters<typeof openEmbeddingModels>[0];
type WrapModel = Parameters<typeof openEmbeddingModels>[1];

/** The models that features use, as ports. Every process opens them here, on any adapters. `queryThread`: reserve a thread for queries from the start. */
export const openModels = async (settings: Settings, wrapModel: WrapModel, queryThread = false) => {
  const providers = await openEmbeddingModels(settings, wrapModel, { queryThread, analyser: BM25_ANALYSER_VERSION });
  return { ports: { providers, tokens: gptTokenCounter() }, close: () => providers.close() };
};
