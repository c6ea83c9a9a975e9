import { anyText } from '@palimpsest/test-kit';
import fc from 'fast-check';
import type { AskOptions } from '@palimpsest/e2e-support/ask';
import { Described, routesOf, type DescribedParameter, type DescribedRoute, type Description } from '@palimpsest/e2e-support/described';
import { EmbeddingStandIn } from '@palimpsest/e2e-support/embedding-stand-in';
import { fromSchema, corrupted, type Schema } from './from-schema.ts';
import { submitText } from '@palimpsest/e2e-support/submit';
import { aDataFolder, PlatformUnderTest } from '@palimpsest/e2e-support/platform-under-test';

/** Requests per operation. Operations that read all data get fewer requests. */
const RUNS = 20;
const FEW: Readonly<Record<string, number>> = { 'POST /v1/admin/verify': 2, 'POST /v1/admin/repair': 2, 'GET /v1/exports/{scope}': 5 };
/**
 * These responses may not end, or not for as many seconds as there are events; live.spec.ts, swap-progress.spec.ts and bad-requests.spec.ts test
 * how they refuse requests.
 */
const ENDLESS = ['GET /v1/events/live', 'GET /v1/documents/live', 'GET /v1/scopes/{scope}/swap/progress', 'POST /v1/admin/rebuild'];

type Sent = Readonly<{ url: string; options: AskOptions }>;

describe('any request', () => {
  let platform: PlatformUnderTest;
  let description: Description;
  let described: Described;
  const keys: (string | undefined)[] = [];

  beforeAll(async () => {
    platform = await PlatformUnderTest.start(await aDataFolder(), (await EmbeddingStandIn.open()).settings());
    description = (await platform.client.operations.openApi()) as unknown as Description;
    described = new Described(description);
    await platform.client.knowledgeBases.create({ id: 'handbook' });
    await submitText(platform.client, {
      knowledgeBase: 'handbook',
      sourceId: 'holidays.md',
      text: 'Everybody has 30 days of holiday a year.',
      labels: { team: 'people' },
    });
    for (const key of [{ roles: ['reader'] }, { tenant: 'other', roles: ['admin'], teams: ['*'] }])
      keys.push((await platform.client.operations.createApiKey({ name: 'fuzz', ...key })).key);
    keys.push(platform.key, platform.key, platform.key, undefined);
  });

  const schemas = (): Readonly<Record<string, Schema>> => description.components['schemas'] as Readonly<Record<string, Schema>>;
  /** Often the documented example, which exists; otherwise a value that the schema allows, or any text. */
  const parameter = ({ example, schema }: DescribedParameter): fc.Arbitrary<unknown> =>
    fc.oneof(
      { weight: example === undefined ? 0 : 3, arbitrary: fc.constant(example) },
      { weight: 3, arbitrary: fromSchema(schema, schemas()) },
      { weight: 1, arbitrary: anyText({ maxLength: 30 }) },
    );

  const bodies = ({ operation }: DescribedRoute): fc.Arbitrary<AskOptions> => {
    const content = Object.entries(operation.requestBody?.content ?? {});
    const right = content.map(([type, { schema, example }]) => {
      const value = fc.oneof(fc.constant(example), fromSchema(schema, schemas()));
      const asked = fc.oneof({ weight: 2, arbitrary: value }, { weight: 1, arbitrary: corrupted(value) });
      return asked.map((body): AskOptions => sendable(type, body));
    });
    const junk = fc.record({
      body: anyText({ maxLength: 40 }),
      type: fc.constantFrom('application/json', 'multipart/form-data; boundary=b', 'application/x-ndjson', 'text/plain', 'image/png'),
    });
    const wrong = junk.map(({ body, type }): AskOptions => ({ body, headers: { 'content-type': type } }));
    return fc.oneof(
      { weight: 1, arbitrary: fc.constant({}) },
      { weight: 2, arbitrary: wrong },
      ...right.map((arbitrary) => ({ weight: 6, arbitrary })),
    );
  };

  const requests = (known: DescribedRoute): fc.Arbitrary<Sent> => {
    const own = known.operation.parameters.filter(({ $ref }) => $ref === undefined);
    const values = fc.record(
      Object.fromEntries(
        own.map((each) => [each.name, each.in === 'path' ? parameter(each) : fc.option(parameter(each), { nil: undefined, freq: 2 })]),
      ),
    );
    const extra = fc.option(fc.tuple(fc.constantFrom('colour', '__proto__', 'limit', 'cursor'), fc.string({ maxLength: 5 })), {
      nil: undefined,
      freq: 5,
    });
    const atLeast = fc.option(fc.constantFrom('0', '1', '-1', 'x'), { nil: undefined, freq: 4 });
    return fc
      .tuple(values, extra, atLeast, fc.constantFrom(...keys), known.method === 'GET' ? fc.constant<AskOptions>({}) : bodies(known))
      .map(([given, unknown, position, key, body]) => {
        const headers: Record<string, string> = { ...body.headers, ...(position === undefined ? {} : { 'palimpsest-at-least': position }) };
        const query = new URLSearchParams(unknown === undefined ? [] : [unknown]);
        let path = known.path;
        for (const { name, in: place } of own) {
          const value = given[name];
          if (value === undefined) continue;
          if (place === 'path') path = path.replace(`{${name}}`, encoded(String(value)));
          // Characters that no client can send in a header are left out.
          else if (place === 'header') headers[name] = String(value).replaceAll(/[^ -~]/g, '');
          else for (const each of [value].flat()) query.append(name, String(each));
        }
        const search = query.toString();
        return { url: `${path}${search === '' ? '' : `?${search}`}`, options: { ...body, key, headers } };
      });
  };

  it('gets a documented response, and never an internal error', async () => {
    for (const known of routesOf(description).filter(({ route }) => !ENDLESS.includes(route)))
      await fc.assert(
        fc.asyncProperty(requests(known), async ({ url, options }) => {
          const answer = await platform.ask(`${known.method} ${url}`, options);
          const wrong = described.answerViolations({ method: known.method, url, ...answer });
          expect({
            route: known.route,
            url,
            status: answer.status,
            fault: answer.status >= 500 && answer.json['code'] !== 'NotCaughtUp' ? answer.text : '',
            wrong,
          }).toEqual({ route: known.route, url, status: answer.status, fault: '', wrong: [] });
        }),
        // A failure reports its seed and path: fc.assert(…, { seed, path }) repeats it.
        { numRuns: FEW[known.route] ?? RUNS, endOnFailure: true },
      );
    expect((await platform.ask('GET /health/ready')).status).toBe(200);
    expect(platform.stderr.split('\n').filter((line) => /"level":(50|60)/.test(line))).toEqual([]);
  }, 1_800_000);
});

/** A segment of a path must not be empty, `.` or `..`. */
const encoded = (value: string): string => encodeURIComponent((value.isWellFormed() ? value : '').replace(/^\.{0,2}$/, 'x'));

const sendable = (type: string, body: unknown): AskOptions => {
  if (type === 'application/json') return { json: body };
  if (type === 'application/x-ndjson')
    return { body: typeof body === 'string' ? body : JSON.stringify(body ?? null), headers: { 'content-type': type } };
  const form = new FormData();
  for (const [name, value] of Object.entries((body ?? {}) as Record<string, unknown>)) {
    if (name !== 'file') form.append(name, typeof value === 'string' ? value : (JSON.stringify(value) ?? ''));
    else
      for (const [i, part] of [value].flat().entries())
        form.append('file', new File([typeof part === 'string' ? part : (JSON.stringify(part) ?? '')], `fuzz-${i}.md`));
  }
  return { body: form };
};
