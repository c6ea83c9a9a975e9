import { fork } from 'node:child_process';
import { once } from 'node:events';

const WORKER = new URL('../../../tools/bench/lib/load-worker.mjs', import.meta.url);
/** No test depends on speed: every response arrives within this time. */
const PATIENCE_MS = 300_000;

/** `«n»` in the body is replaced by a different text in each request. */
export type LoadRequest = Readonly<{ url: string; method: string; path: string; headers: Readonly<Record<string, string>>; body: string }>;

/** The outcome of the requests. `unexplained`: refusals without Retry-After or problem document; `other`: the rest, by status or error. */
export type LoadResult = Readonly<{
  sent: number;
  unsent: number;
  ok: number;
  refused: number;
  unexplained: number;
  other: Readonly<Record<string, number>>;
  seconds: number;
}>;

const load = async (
  mode: 'closed' | 'open',
  requests: readonly LoadRequest[],
  options: Readonly<Record<string, number>>,
): Promise<LoadResult> => {
  const worker = fork(WORKER, { execArgv: [] });
  try {
    worker.send({ mode, requests, options: { ...options, patienceMs: PATIENCE_MS } });
    const [result] = (await Promise.race([
      once(worker, 'message'),
      once(worker, 'exit').then(([code]) => Promise.reject(new Error(`the load generator ended with ${code}`))),
    ])) as [LoadResult];
    return result;
  } finally {
    worker.kill();
  }
};

/** `count` callers that each wait for a response before they send the next request. */
export const callers = (requests: readonly LoadRequest[], count: number, seconds: number): Promise<LoadResult> =>
  load('closed', requests, { callers: count, seconds });

/** A fixed rate of requests over `sockets` connections, whatever the responses are. Resolves when every sent request has a response. */
export const crowd = (requests: readonly LoadRequest[], perSecond: number, seconds: number, sockets: number): Promise<LoadResult> =>
  load('open', requests, { perSecond, seconds, sockets });
