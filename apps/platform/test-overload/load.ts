import { fork } from 'node:child_process';
import { once } from 'node:events';

const WORKER = new URL('../../../tools/bench/lib/load-worker.mjs', import.meta.url);
/** No test depends on being quick: an answer that comes at all comes within this time. */
const PATIENCE_MS = 300_000;

/** `«n»` in the body is another text each time. */
export type LoadRequest = Readonly<{ url: string; method: string; path: string; headers: Readonly<Record<string, string>>; body: string }>;

/** What became of the requests: `unexplained` refusals lack `Retry-After` or the problem; `other` counts whatever else came, or did not come, by its status or fault. */
export type LoadResult = Readonly<{ sent: number; unsent: number; ok: number; refused: number; unexplained: number; other: Readonly<Record<string, number>>; seconds: number }>;

const load = async (mode: 'closed' | 'open', requests: readonly LoadRequest[], options: Readonly<Record<string, number>>): Promise<LoadResult> => {
  const worker = fork(WORKER, { execArgv: [] });
  try {
    worker.send({ mode, requests, options: { ...options, patienceMs: PATIENCE_MS } });
    const [result] = (await Promise.race([
      once(worker, 'message'),
      once(worker, 'exit').then(([code]) => Promise.reject(new Error(`what sends the load ended with ${code}`))),
    ])) as [LoadResult];
    return result;
  } finally {
    worker.kill();
  }
};

/** So many callers who each wait for their answer before they come again. */
export const callers = (requests: readonly LoadRequest[], count: number, seconds: number): Promise<LoadResult> => load('closed', requests, { callers: count, seconds });

/** So many requests a second whatever becomes of them, over as many connections as told. Ends when all that were sent are answered. */
export const crowd = (requests: readonly LoadRequest[], perSecond: number, seconds: number, sockets: number): Promise<LoadResult> => load('open', requests, { perSecond, seconds, sockets });
