import { request } from 'node:http';
import { expectProblem } from '@palimpsest/e2e-support/ask';
import { EmbeddingStandIn } from '@palimpsest/e2e-support/embedding-stand-in';
import { eventually } from '@palimpsest/test-kit/eventually';
import { submitText } from '@palimpsest/e2e-support/submit';
import { aDataFolder, PlatformUnderTest } from '@palimpsest/e2e-support/platform-under-test';

const CONCURRENT = 2;
const WAITING = 3;
const CALLERS = 60;
const PATIENT = { PALIMPSEST_WAITING_MS: '600000', PALIMPSEST_BODY_SECONDS: '3' };

describe('more requests than a process can handle', () => {
  let standIn: EmbeddingStandIn;
  let platform: PlatformUnderTest;
  let release: () => void = () => undefined;

  beforeAll(async () => {
    standIn = await EmbeddingStandIn.open();
    const few = { PALIMPSEST_CONCURRENT_SEARCHES: String(CONCURRENT), PALIMPSEST_WAITING_REQUESTS: String(WAITING) };
    platform = await PlatformUnderTest.start(await aDataFolder(), { ...standIn.settings(), ...few, ...PATIENT });
    await submitText(platform.client, { sourceId: 'lamp.md', text: 'The lamp burns oil.' });
  });
  afterEach(() => {
    release();
    standIn.beforeAnswer = () => Promise.resolve();
  });

  /** From now on no search finishes until `release`. */
  const hold = (): void => {
    const held = new Promise<void>((resolve) => (release = resolve));
    standIn.beforeAnswer = () => held;
  };
  // Each query is different, because a query that was embedded before is not embedded again.
  const search = (about: string) => platform.ask('POST /v1/search', { json: { query: `lamp ${about}` } });

  /** A request that sends less than its content length. */
  const anUnfinished = (path: string): Promise<Readonly<{ status: number | undefined; body: unknown }>> =>
    new Promise((resolve, reject) => {
      const headers = { authorization: `Bearer ${platform.key}`, 'content-type': 'application/json', 'content-length': '100' };
      const sent = request(`${platform.url}${path}`, { method: 'POST', headers, agent: false }, (answer) => {
        let text = '';
        answer
          .setEncoding('utf8')
          .on('data', (part: string) => (text += part))
          .on('end', () => resolve({ status: answer.statusCode, body: JSON.parse(text) }));
      });
      sent.on('error', reject).write('{');
    });

  it('are all processed or refused with a Retry-After', async () => {
    hold();
    const asked = Array.from({ length: CALLERS }, (_, i) => search(`number ${i}`));
    const refusals = asked.map((answer) => answer.then(({ status }) => status === 429));
    let refused = 0;
    for (const refusal of refusals) void refusal.then((was) => (refused += was ? 1 : 0));
    await eventually('all others are refused', async () => (refused === CALLERS - CONCURRENT - WAITING ? true : undefined));

    for (const probe of ['GET /health/live', 'GET /health/ready', 'GET /health/rag', 'GET /metrics'])
      expect((await platform.ask(probe)).status).toBe(200);
    // Another type of work has its own limiter.
    expect((await platform.ask('GET /v1/documents')).status).toBe(200);
    release();
    const answers = await Promise.all(asked);
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(CONCURRENT + WAITING);
    for (const answer of answers.filter(({ status }) => status !== 200)) {
      expectProblem(answer, 429, 'Overloaded');
      expect(Number(answer.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
      expect(answer.json['retryAfterSeconds']).toBe(Number(answer.headers.get('retry-after')));
    }
    const metrics = (await platform.ask('GET /metrics')).text;
    expect(metrics).toMatch(
      new RegExp(`palimpsest_http_queue_refused_total\\{[^}]*work="search"[^}]*\\} ${CALLERS - CONCURRENT - WAITING}`),
    );
  });

  it('are processed normally after the overload', async () => {
    const { status, json } = await search('after all that');
    expect([status, (json['hits'] as unknown[]).length]).toEqual([200, 1]);
  });

  it('without a key are refused immediately, and take no place in the queue', async () => {
    hold();
    const asked = Array.from({ length: CONCURRENT + WAITING }, (_, i) => search(`again ${i}`));
    await eventually('the queue is full', async () => {
      const { text } = await platform.ask('GET /metrics');
      return new RegExp(`palimpsest_http_queue_waiting_requests\\{[^}]*work="search"[^}]*\\} ${WAITING}`).test(text) || undefined;
    });
    expectProblem(await platform.ask('POST /v1/search', { json: { query: 'lamp' }, key: 'pk_unknown' }), 401, 'Unauthenticated');
    expectProblem(await platform.ask('POST /v1/search', { json: { query: 'lamp' } }), 429, 'Overloaded');
    release();
    expect((await Promise.all(asked)).map(({ status }) => status)).toEqual(asked.map(() => 200));
  });

  it('leave the queue when their caller disconnects', async () => {
    hold();
    const leaving = new AbortController();
    const asked = Array.from({ length: CONCURRENT }, (_, i) => search(`stays ${i}`));
    const left = Array.from({ length: WAITING }, () =>
      fetch(`${platform.url}/v1/search`, {
        method: 'POST',
        body: JSON.stringify({ query: 'lamp leaves' }),
        headers: { authorization: `Bearer ${platform.key}`, 'content-type': 'application/json' },
        signal: leaving.signal,
      }).catch(() => undefined),
    );
    const waiting = (count: number) =>
      eventually(`${count} wait`, async () => {
        const { text } = await platform.ask('GET /metrics');
        return new RegExp(`palimpsest_http_queue_waiting_requests\\{[^}]*work="search"[^}]*\\} ${count}\\n`).test(text) || undefined;
      });
    await waiting(WAITING);
    leaving.abort();
    await Promise.all(left);
    await waiting(0);
    release();
    expect((await Promise.all(asked)).map(({ status }) => status)).toEqual(asked.map(() => 200));
  });

  it('are not blocked by requests whose body never arrives', async () => {
    const idle = ['/v1/search', '/v1/documents'].flatMap((path) => Array.from({ length: CONCURRENT }, () => anUnfinished(path)));
    const answers = await Promise.all(idle);
    expect(answers.map(({ status }) => status)).toEqual(idle.map(() => 400));
    for (const { body } of answers)
      expect(body).toMatchObject({ code: 'InvalidValue', field: 'body', expected: expect.stringContaining('3 s') });
    expect((await search('after the idle')).status).toBe(200);
    expect(platform.stderr).not.toMatch(/"level":(?:50|60)/);
  });
});
