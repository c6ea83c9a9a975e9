import type { AddressInfo } from 'node:net';
import fastify, { type FastifyInstance } from 'fastify';
import type { Access } from '@palimpsest/knowledge/access';
import type { ReadModels } from '@palimpsest/knowledge/read-models';
import { position, tenantId, type Position } from '@palimpsest/knowledge/values';
import { PositionWaiters } from '@palimpsest/foundation';
import { problemOf } from './problems/problem.ts';
import { MAX_WAITING_PER_TENANT } from './at-least/position-gate.ts';
import { bodyRules } from './bodies/body-rules.ts';
import { LoadShedder } from './overload/load-shedder.ts';
import { QuietTicks } from './overload/quiet-ticks.ts';
import { carryPositions } from './positions.ts';
import { shedLoad } from './routes/gate.ts';

const CONCURRENT = 16;
const REACHED = position('5');
const HEAD = position('8');
const BEYOND = '999999999';

/** Read models that lag behind the log until a test moves them. */
class LaggingReadModels implements ReadModels {
  readonly waiters = new PositionWaiters();
  at: Position = REACHED;
  position = (): Position => this.at;
  serving = (): boolean => true;
  reached = (wanted: Position, ms: number | undefined, signal?: AbortSignal): Promise<boolean> =>
    wanted <= this.at ? Promise.resolve(true) : this.waiters.wait(wanted, ms, signal);
  move(to: Position): void {
    this.at = to;
    this.waiters.reached(to);
  }
}

const accessOf = (tenant: string): Access => ({ tenant: tenantId(tenant), teams: [], roles: ['reader'], actor: tenant });

describe('a request for at least a position', () => {
  let app: FastifyInstance;
  let url: string;
  let readModels: LaggingReadModels;
  let log: { head: () => Promise<Position>; headMayLag?: boolean };
  const left = new AbortController();

  beforeEach(async () => {
    readModels = new LaggingReadModels();
    log = { head: async () => HEAD };
    const quietTicks = new QuietTicks();
    const limit = { concurrent: CONCURRENT, waiting: 4, bytes: 1_000_000 };
    const loadShedder = new LoadShedder({ waitMs: 60_000, search: limit, write: limit, read: limit }, () => undefined, quietTicks.later);
    app = fastify();
    shedLoad(app, loadShedder, { rules: bodyRules(100_000), maxBytes: 100_000, bodyMs: 60_000 });
    app.setErrorHandler((error, _request, reply) => {
      const problem = problemOf(error);
      void reply.status(problem.status).send(problem);
    });
    carryPositions(app, { readModels, log, callerOf: ({ headers }) => accessOf(headers.authorization ?? '') });
    app.post('/v1/search', { config: { policy: { work: 'search' } } }, async () => ({ hits: [] }));
    app.get('/v1/documents', async () => ({ documents: [] }));
    await app.listen({ port: 0, host: '127.0.0.1' });
    url = `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`;
  });
  afterEach(async () => {
    readModels.waiters.giveUp();
    await app.close();
  });

  const search = (tenant: string, atLeast?: string, signal?: AbortSignal): Promise<Response> =>
    fetch(`${url}/v1/search`, {
      method: 'POST',
      headers: { authorization: tenant, 'content-type': 'application/json' },
      body: JSON.stringify({ query: 'x', ...(atLeast === undefined ? {} : { atLeast }) }),
      ...(signal === undefined ? {} : { signal }),
    });
  const waiting = async (count: number): Promise<void> => {
    for (let tries = 0; readModels.waiters.count !== count; tries++) {
      if (tries > 10_000) throw new Error(`${readModels.waiters.count} requests wait, not ${count}`);
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
  };
  /** Sequentially, because the number of concurrent requests is limited. */
  const waitingOf = async (tenant: string, count: number): Promise<readonly Promise<Response>[]> => {
    const answers: Promise<Response>[] = [];
    while (answers.length < count) {
      answers.push(search(tenant, '8'));
      await waiting(answers.length);
    }
    return answers;
  };

  it('is answered as soon as the read models have reached the position', async () => {
    const answer = search('a', '8');
    await waiting(1);
    readModels.move(HEAD);
    expect((await answer).status).toBe(200);
    expect((await answer).headers.get('palimpsest-position')).toBe('8');
  });

  it.each(['body', 'header'])('is refused immediately if the log does not have the position (in the %s)', async (where) => {
    const answer =
      where === 'body'
        ? await search('a', BEYOND)
        : await fetch(`${url}/v1/documents`, { headers: { authorization: 'a', 'palimpsest-at-least': BEYOND } });
    expect(answer.status).toBe(400);
    expect(await answer.json()).toMatchObject({ code: 'InvalidValue', field: where === 'body' ? 'atLeast' : 'palimpsest-at-least' });
    expect(readModels.waiters.count).toBe(0);
  });

  it('is refused immediately with 503 if the log may not know its own end', async () => {
    log.headMayLag = true;
    const answer = await search('a', BEYOND);
    expect(answer.status).toBe(503);
    expect(await answer.json()).toMatchObject({ code: 'NotCaughtUp' });
    expect(readModels.waiters.count).toBe(0);
  });

  it('holds no permit while it waits', async () => {
    const ofA = await waitingOf('a', 3 * CONCURRENT);
    expect((await search('b')).status).toBe(200);
    readModels.move(HEAD);
    for (const answer of ofA) expect([200, 429]).toContain((await answer).status);
  });

  it('is refused with 429 if too many requests of its tenant wait; another tenant can still wait', async () => {
    const ofA = await waitingOf('a', MAX_WAITING_PER_TENANT);
    const refused = await search('a', '8');
    expect([refused.status, await refused.json()]).toEqual([429, expect.objectContaining({ code: 'Overloaded', retryAfterSeconds: 1 })]);
    const ofB = search('b', '8');
    await waiting(MAX_WAITING_PER_TENANT + 1);
    readModels.move(HEAD);
    expect([200, 429]).toContain((await ofB).status);
    for (const answer of ofA) await answer;
  });

  it('stops waiting when its caller disconnects', async () => {
    const answer = search('a', '8', left.signal);
    await waiting(1);
    left.abort();
    await expect(answer).rejects.toThrow();
    await waiting(0);
  });
});
