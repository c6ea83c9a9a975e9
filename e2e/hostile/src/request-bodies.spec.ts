import { pause } from '@palimpsest/foundation';
import { aDataFolder, PlatformUnderTest } from '@palimpsest/e2e-support/platform-under-test';
import { ask, expectProblem } from '@palimpsest/e2e-support/ask';
import { askRaw, RawConnection } from './raw-http.ts';

const [KIB, MIB] = [1024, 1024 * 1024];
const JSON_BODY = { 'content-type': 'application/json' };

describe('the body of a request', () => {
  let platform: PlatformUnderTest;
  let reader: string;
  beforeAll(async () => {
    platform = await PlatformUnderTest.start(await aDataFolder());
    reader = (await platform.client.operations.createApiKey({ name: 'reader', roles: ['reader'] })).key;
  });

  const head = (route: string, more: readonly string[] = [], key = platform.key): readonly string[] => {
    const [method = '', path = ''] = route.split(' ');
    return [`${method} ${path} HTTP/1.1`, `host: ${new URL(platform.url).host}`, `authorization: Bearer ${key}`, ...more];
  };
  const chunked = (text: string): string => `${text.length.toString(16)}\r\n${text}\r\n`;

  it('is refused by its content length if the route accepts only small commands, with a clear message', async () => {
    for (const route of [
      'POST /v1/search',
      'POST /v1/context',
      'POST /v1/knowledge-bases',
      'POST /v1/api-keys',
      'PUT /v1/tenants/some/limits',
      'POST /v1/admin/rebuild',
      'POST /v1/dead-letters/x/retry',
    ]) {
      const { status, json } = await askRaw(
        platform.url,
        head(route, ['content-type: application/json', `content-length: ${64 * KIB + 1}`]),
      );
      expect({ route, status, code: json['code'], detail: json['detail'] }).toEqual({
        route,
        status: 413,
        code: 'TooLarge',
        detail: 'the body must not exceed 64 KiB',
      });
    }
    expectProblem(await platform.ask('POST /v1/search', { key: reader, json: { query: 'x'.repeat(64 * KIB) } }), 413, 'TooLarge');
  });

  it('without a content length is refused as soon as it is too large, and its connection is closed', async () => {
    const connection = await RawConnection.open(platform.url);
    connection.write(
      `${head('POST /v1/search', ['content-type: application/json', 'transfer-encoding: chunked'], reader).join('\r\n')}\r\n\r\n`,
    );
    for (let i = 0; i < 5; i++) connection.write(chunked(' '.repeat(16 * KIB)));
    expect(await connection.answer()).toMatchObject({ status: 413, headers: { connection: 'close' } });
    await connection.closed();
  });

  it('is refused before its end if it is nested too deeply', async () => {
    const connection = await RawConnection.open(platform.url);
    connection.write(
      `${head('POST /v1/documents', ['content-type: application/json', `content-length: ${49 * MIB}`]).join('\r\n')}\r\n\r\n${'['.repeat(1_000)}`,
    );
    expect(await connection.answer()).toMatchObject({
      status: 400,
      json: { code: 'InvalidValue', field: 'body', expected: 'JSON of at most 128 levels' },
    });
    connection.end();
  });

  it('does not block other requests with any 49 MB of JSON', async () => {
    const bodies = [
      '['.repeat(49 * MIB),
      '{"a":'.repeat(10 * MIB),
      `[${'[],'.repeat(16 * MIB)}[]]`,
      `{"sourceId":"a","text":7,"x":"${'\\u0041'.repeat(8 * MIB)}"}`,
      `"${'\\"'.repeat(24 * MIB)}"`,
    ];
    for (const body of bodies) {
      const large = platform.ask('POST /v1/documents', { body, headers: JSON_BODY });
      expect((await platform.ask('GET /health/live')).status).toBe(200);
      expectProblem(await large, 400, 'InvalidValue');
    }
  });

  it('cannot set a prototype, and has each name only once', async () => {
    for (const body of [
      '{"query":"x","__proto__":{"topK":1}}',
      '{"query":"x","\\u005f_proto__":1}',
      '{"query":"x","filter":{"eq":{"field":"a","value":"b","__proto__":{}}}}',
      '{"query":"x","query":"y"}',
      '{"query":"x","topK":1,"top\\u004b":2}',
    ])
      expectProblem(await platform.ask('POST /v1/search', { body, headers: JSON_BODY }), 400, 'InvalidValue');
    expectProblem(
      await platform.ask('POST /v1/search', { json: { query: 'x', constructor: { prototype: { topK: 1 } } } }),
      400,
      'InvalidValue',
      { field: 'constructor' },
    );
  });

  it('is accepted only with a content type of its route, and without a content encoding', async () => {
    const refused: readonly (readonly [route: string, headers: Record<string, string>])[] = [
      ['POST /v1/search', { 'content-type': 'application/x-ndjson' }],
      ['POST /v1/search', { 'content-type': 'text/plain' }],
      ['POST /v1/search', { 'content-type': 'application/x-www-form-urlencoded' }],
      ['POST /v1/search', { 'content-type': 'multipart/form-data; boundary=b' }],
      ['POST /v1/search', { 'content-type': 'application/jsonx' }],
      ['POST /v1/documents', { 'content-type': 'application/x-ndjson' }],
      ['POST /v1/imports/deployment/documents?embeddingVersion=x', { 'content-type': 'application/json' }],
      ['POST /v1/imports/deployment/documents', { 'content-type': 'multipart/form-data; boundary=b' }],
      ['POST /v1/search', { ...JSON_BODY, 'content-encoding': 'gzip' }],
      ['POST /v1/documents', { ...JSON_BODY, 'content-encoding': 'br' }],
      ['POST /v1/search', { ...JSON_BODY, 'content-encoding': 'identity, gzip' }],
    ];
    for (const [route, headers] of refused)
      expectProblem(await platform.ask(route, { body: '{"query":"x"}', headers }), 415, 'UnsupportedMediaType');
    expect(
      (await platform.ask('POST /v1/search', { body: '{"query":"x"}', headers: { ...JSON_BODY, 'content-encoding': 'identity' } })).status,
    ).toBe(200);
    expect(
      (await platform.ask('POST /v1/search', { body: '{"query":"x"}', headers: { 'content-type': 'Application/JSON; charset=utf-8' } }))
        .status,
    ).toBe(200);
  });

  it('is never parsed as the next request on its connection, however early the route responds', async () => {
    const hidden = `DELETE /v1/documents/${'0'.repeat(32)} HTTP/1.1\r\nhost: x\r\n\r\n`;
    const early: readonly (readonly [about: string, head: readonly string[]])[] = [
      ['no key', head('POST /v1/search', ['content-type: application/json'], 'plk_unknown')],
      ['an unknown route', head('POST /v1/nothing')],
      ['an unsupported method', head('PATCH /v1/documents')],
      ['an unsupported content type', head('POST /v1/search', ['content-type: text/plain'])],
      ['a GET with a body', head('GET /v1/documents')],
      ['a probe with a body', head('GET /health/live')],
      ['an invalid path', head('POST /v1/%zz')],
      ['lines that are not documents', head('POST /v1/imports/deployment/documents?reembed=true', ['content-type: application/x-ndjson'])],
      ['an invalid form', head('POST /v1/documents', ['content-type: multipart/form-data; boundary=b'])],
    ];
    for (const [about, lines] of early) {
      const connection = await RawConnection.open(platform.url);
      connection.write(`${[...lines, `content-length: ${hidden.length + 20}`].join('\r\n')}\r\n\r\n`);
      await pause(5);
      connection.write(`${hidden}${'x'.repeat(20)}${head('GET /v1/me').join('\r\n')}\r\n\r\n`);
      const first = await connection.answer();
      const second = first.headers['connection'] === 'close' ? undefined : await connection.answer();
      expect({ about, first: first.status === 204, second: second?.json['tenant'] ?? 'closed' }).toEqual({
        about,
        first: false,
        second: second === undefined ? 'closed' : 'default',
      });
      connection.end();
    }
  });

  it('leaves no connection open with an unread rest when an import fails in the middle', async () => {
    await platform.client.knowledgeBases.create({ id: 'handbook' });
    const connection = await RawConnection.open(platform.url);
    connection.write(
      `${head('POST /v1/imports/deployment/documents?reembed=true', ['content-type: application/x-ndjson', 'transfer-encoding: chunked']).join('\r\n')}\r\n\r\n`,
    );
    connection.write(chunked('{"kind":"nonsense"}\n'));
    for (let i = 0; i < 64; i++) connection.write(chunked(`${' '.repeat(16 * KIB)}\n`));
    expect(await connection.answer()).toMatchObject({ status: 400, json: { code: 'InvalidValue' }, headers: { connection: 'close' } });
    await connection.closed();
  });

  it('gets the response that it is too large, also if the client sends all of it first', async () => {
    const answer = await ask(platform.url, 'POST /v1/search', { key: platform.key, json: { query: 'x'.repeat(3 * MIB) } });
    expectProblem(answer, 413, 'TooLarge');
  });
});

describe('an invalid HTTP request', () => {
  let platform: PlatformUnderTest;
  beforeAll(async () => {
    platform = await PlatformUnderTest.start(await aDataFolder());
  });

  it('gets a problem document, and its connection is closed', async () => {
    const host = `host: ${new URL(platform.url).host}`;
    const cases: readonly (readonly [head: readonly string[], status: number, code: string])[] = [
      [['GET / HTTP/1.1', host, `x: ${'y'.repeat(100 * KIB)}`], 431, 'HeadersTooLarge'],
      [[`GET /${'y'.repeat(100 * KIB)} HTTP/1.1`, host], 431, 'HeadersTooLarge'],
      [['nonsense'], 400, 'InvalidValue'],
      [['GET / HTTP/1.1', host, 'no colon'], 400, 'InvalidValue'],
      [['POST /v1/search HTTP/1.1', host, 'content-length: 5', 'transfer-encoding: chunked'], 400, 'InvalidValue'],
      [['POST /v1/search HTTP/1.1', host, 'content-length: 5', 'content-length: 6'], 400, 'InvalidValue'],
      [['POST /v1/search HTTP/1.1', host, 'content-length: -5'], 400, 'InvalidValue'],
    ];
    for (const [head, status, code] of cases) {
      const connection = await RawConnection.open(platform.url);
      const answer = await connection.write(`${head.join('\r\n')}\r\n\r\n`).answer();
      expect({
        head: head[0]?.slice(0, 30),
        status: answer.status,
        code: answer.json['code'],
        type: answer.headers['content-type'],
      }).toEqual({ head: head[0]?.slice(0, 30), status, code, type: 'application/problem+json' });
      await connection.closed();
    }
  });

  it('gets the supported methods of a path if it uses another one', async () => {
    for (const [route, allow] of [
      ['PATCH /v1/documents', 'GET, HEAD, POST'],
      ['GET /v1/search', 'POST'],
      ['DELETE /v1/documents/live', 'GET, HEAD'],
      ['POST /health/live', 'GET, HEAD'],
      ['OPTIONS /v1/search', 'POST'],
      ['POST /metrics', 'GET, HEAD'],
    ] as const) {
      const answer = await platform.ask(route);
      expectProblem(answer, 405, 'MethodNotAllowed');
      expect({ route, allow: answer.headers.get('allow') }).toEqual({ route, allow });
    }
  });
});
