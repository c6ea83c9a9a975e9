/** What a request costs most of: a search the model and the indexes, a write the disk and memory for its body, a read little. */
export const KINDS_OF_WORK = ['search', 'write', 'read'] as const;
export type KindOfWork = (typeof KINDS_OF_WORK)[number];

/** Answered whatever the load: whoever watches a process must not take a busy one for a dead one. */
const NEVER_REFUSED = /^\/(?:health(?:\/|$)|metrics$)/;
/** Open for hours; each tenant may have so many, which they are held to where they begin. */
const LIVE = /\/live$/;
const SEARCHES = /^\/v1\/(?:search|context)\/?$/;

/** A path as the router takes it: decoded, without its query. */
const pathOf = (url: string): string => {
  const path = url.split(/[?#;]/, 1)[0] ?? '';
  if (!path.includes('%')) return path;
  try {
    return decodeURIComponent(path);
  } catch {
    // Refused by the router; what it costs until then is a read.
    return path;
  }
};

/** Undefined for what is never refused. */
export function kindOfWork(method: string, url: string): KindOfWork | undefined {
  const path = pathOf(url);
  if (NEVER_REFUSED.test(path)) return undefined;
  const reads = method === 'GET' || method === 'HEAD' || method === 'OPTIONS';
  if (reads) return LIVE.test(path) ? undefined : 'read';
  return SEARCHES.test(path) ? 'search' : 'write';
}
