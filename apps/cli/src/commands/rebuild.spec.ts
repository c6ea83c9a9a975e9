import { FakePlatform } from '../../test/fake-platform.ts';
import { run } from '../../test/run.ts';
import type { Ran } from '../../test/run.ts';

const START = 'POST /v1/admin/rebuild';
const STATUS = 'GET /v1/admin/rebuild';
const result = { documents: 3, chunks: 40, seconds: 1.25, position: '90', embeddingCalls: 0 };
const DONE = 'rebuilt 3 documents, 40 chunks in 1.3 s, up to position 90\nembedding calls: 0\n';
const view = (state: string, more: object = {}) => ({
  json: { state, startedAt: '2026-11-22T08:00:00.000Z', startedBy: 'k1', positions: { done: 45, total: 90 }, ...more },
});

let platform: FakePlatform;
beforeEach(async () => {
  platform = await FakePlatform.open();
});
afterEach(() => platform.close());
const palimpsest = (...args: string[]): Promise<Ran> => run([...args, '--url', platform.url]);

describe('palimpsest rebuild', () => {
  it('reports what was rebuilt', async () => {
    platform.on(START, () => ({ json: result }));
    expect(await palimpsest('rebuild')).toMatchObject({ code: 0, out: DONE, err: 'rebuilding every index from the log\n' });
    expect(platform.requestsTo(START)[0]?.body).toBe('');
  });

  it('sends the cap', async () => {
    platform.on(START, () => ({ json: result }));
    expect((await palimpsest('rebuild', '--max-rate', '500')).code).toBe(0);
    expect(platform.requestsTo(START)[0]?.json).toEqual({ maxEventsPerSecond: 500 });
    expect(await palimpsest('rebuild', '--max-rate', '0')).toMatchObject({ code: 2, err: expect.stringContaining('--max-rate') });
  });

  it('sends the scopes and their tenant', async () => {
    platform.on(START, () => ({ json: result }));
    expect(await palimpsest('rebuild', '--scope', 'team:red', '--scope', 'deployment')).toMatchObject({
      code: 0,
      out: DONE,
      err: 'rebuilding team:red, deployment from the log\n',
    });
    await palimpsest('rebuild', '--scope', 'deployment', '--tenant', 'acme');
    expect(platform.requestsTo(START).map(({ json }) => json)).toEqual([
      { scopes: ['team:red', 'deployment'] },
      { scopes: ['deployment'], tenant: 'acme' },
    ]);
    expect(await palimpsest('rebuild', '--tenant', 'acme')).toMatchObject({ code: 2, err: expect.stringContaining('--scope') });
  });

  it('follows a rebuild that outlives its connection, until it ends', async () => {
    const views = [view('running', { eventsPerSecond: 9.6, remainingSeconds: 4.2 }), view('paused'), view('complete', { result })];
    platform.on(START, () => {
      platform.disconnect();
      return {};
    });
    platform.on(STATUS, () => views.shift() ?? {});
    const { code, out, err } = await palimpsest('rebuild');
    expect({ code, out }).toEqual({ code: 0, out: DONE });
    expect(err).toContain('events 45 of 90 (10 events/s, about 5 s left)\nevents 45 of 90 (paused)\n');
    expect(platform.requestsTo(START)).toHaveLength(1);
  });

  it('fails if the connection was lost and the rebuild did not complete', async () => {
    platform.on(START, () => {
      platform.disconnect();
      return {};
    });
    platform.on(STATUS, () => view('cancelled'));
    expect((await palimpsest('rebuild')).code).toBe(2);
  });

  it('fails if another one is running', async () => {
    const detail = 'a rebuild is already running: started at 2026-11-22T08:00:00.000Z by k1';
    platform.on(START, () => ({ status: 409, json: { status: 409, code: 'Conflict', title: 'Conflict', detail } }));
    expect(await palimpsest('rebuild')).toMatchObject({ code: 2, err: expect.stringContaining(detail) });
  });

  it('shows the progress', async () => {
    platform.on(STATUS, () => view('running', { maxEventsPerSecond: 500, eventsPerSecond: 480.2, remainingSeconds: 0.1 }));
    expect(await palimpsest('rebuild', 'status')).toMatchObject({
      code: 0,
      out: [
        'rebuild   running',
        'started   2026-11-22T08:00:00.000Z by k1',
        'progress  position 45 of 90 of the log, 480 events/s, about 1 s left',
        'cap       500 events/s',
        '',
      ].join('\n'),
    });
    platform.on(STATUS, () => view('paused', { scopes: ['team:red', 'deployment'], tenant: 'acme' }));
    expect((await palimpsest('rebuild', 'status')).out).toContain('rebuild   paused\nscopes    team:red, deployment of acme\nstarted');
    platform.on(STATUS, () => view('failed', { endedAt: '2026-11-22T08:00:01.000Z', reason: 'no space left' }));
    expect((await palimpsest('rebuild', 'status')).out).toContain('ended     2026-11-22T08:00:01.000Z\nprogress');
    expect((await palimpsest('rebuild', 'status')).out).toContain('reason    no space left\n');
    platform.on(STATUS, () => ({ json: { state: 'none' } }));
    expect((await palimpsest('rebuild', 'status')).out).toBe('no rebuild since the platform started\n');
  });

  it.each([
    ['pause', 'paused'],
    ['resume', 'running'],
    ['cancel', 'cancelled'],
  ])('sends %s', async (action, state) => {
    const route = `POST /v1/admin/rebuild/${action}`;
    platform.on(route, () => view(state));
    expect(await palimpsest('rebuild', action)).toMatchObject({ code: 0, out: expect.stringContaining(`rebuild   ${state}\n`) });
    expect(platform.requestsTo(route)).toHaveLength(1);
  });
});
