import type { RoutePolicy } from '../routes/route-policy.ts';

/** By the main cost of a request: a search uses the model and the indexes, a write the disk and memory for its body, a read little. */
export const KINDS_OF_WORK = ['search', 'write', 'read'] as const;
export type KindOfWork = (typeof KINDS_OF_WORK)[number];

/** Methods whose bodies are not read. */
export const isBodyless = (method: string): boolean => method === 'GET' || method === 'HEAD';

/**
 * By the matched route. Undefined for routes that are never refused: probes, and live streams, which have their own limit for each tenant.
 */
export const kindOfWork = (method: string, { work }: RoutePolicy): KindOfWork | undefined => {
  if (work === 'none') return undefined;
  return work ?? (isBodyless(method) ? 'read' : 'write');
};
