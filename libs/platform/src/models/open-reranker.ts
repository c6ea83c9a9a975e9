import { SYSTEM } from '@palimpsest/foundation';
import type { Reranker } from '@palimpsest/knowledge/models';
import { chatReranker } from '@palimpsest/query';
import type { RerankerSettings } from '../settings/reranker-settings.ts';
import { breakingReranker } from './breaking-reranker.ts';

const nothing = async (): Promise<void> => undefined;

/** The reranker that the settings select, as a port of searches; nothing without one. */
export const openReranker = async (settings: RerankerSettings | undefined) => {
  if (settings === undefined) return { ports: {}, close: nothing };
  const { candidates, weight, ms } = settings;
  if ('companion' in settings) return { ports: { reranker: { reranker: 'companion' as const, candidates, weight, ms } }, close: nothing };
  const reranker = await open(settings);
  return { ports: { reranker: { reranker, candidates, weight, ms } }, close: () => reranker.close() };
};

/** Clients and runtimes are imported on first use: most installations have no reranker. */
const open = async (settings: Exclude<RerankerSettings, { companion: true }>): Promise<Reranker> => {
  if ('onnx' in settings) return (await import('@palimpsest/adapters-onnx')).openOnnxReranker(settings.onnx);
  if ('chat' in settings) {
    const { openChatModel } = await import('@palimpsest/adapters-openai/chat');
    return breakingReranker(chatReranker(openChatModel(settings.chat)), SYSTEM);
  }
  const { openRerankModel } = await import('@palimpsest/adapters-openai/rerank');
  return breakingReranker(openRerankModel(settings.endpoint), SYSTEM);
};
