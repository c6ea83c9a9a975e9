import { writeFile } from 'node:fs/promises';
import type { FleetView, SubmissionResult } from '@palimpsest/client';
import type { Answer, AskOptions } from '@palimpsest/e2e-support/ask';
import { Described, routesOf, type DescribedRoute, type Description } from '@palimpsest/e2e-support/described';
import { EmbeddingStandIn } from '@palimpsest/e2e-support/embedding-stand-in';
import { pause } from '@palimpsest/foundation';
import { eventually } from '@palimpsest/test-kit/eventually';
import { accepted, one } from '@palimpsest/e2e-support/submit';
import { aDataFolder, PlatformUnderTest, type Settings } from '@palimpsest/e2e-support/platform-under-test';
import { ServerSent } from './server-sent.ts';

/** With E2E_RECORD_EXAMPLES=1, the responses of the platform become the examples of the description. */
const RECORDED = new URL('../../../libs/contracts/src/http/response-examples.ts', import.meta.url);
const recording = process.env['E2E_RECORD_EXAMPLES'] === '1';

/** An order in which every example works. Submitted documents are indexed before the next example runs. */
const ORDER = [
  'GET /',
  'GET /health/live',
  'GET /health/ready',
  'GET /v1/me',
  'POST /v1/knowledge-bases',
  'GET /v1/knowledge-bases',
  'GET /v1/knowledge-bases/{id}',
  'PATCH /v1/knowledge-bases/{id}',
  'POST /v1/knowledge-bases/{id}/pause',
  'POST /v1/knowledge-bases/{id}/resume',
  'POST /v1/documents',
  'GET /v1/documents',
  'GET /v1/documents/{id}/chunks',
  'PUT /v1/documents/{id}',
  'GET /v1/documents/{id}/versions/{version}',
  'GET /v1/documents/{id}/diff',
  'POST /v1/documents/{id}/retry',
  'GET /v1/documents/{id}',
  'GET /v1/documents/live',
  'POST /v1/search',
  'POST /v1/retrievals/{traceId}/replay',
  'POST /v1/retrievals/replay',
  'POST /v1/retrievals/{traceId}/receipt',
  'POST /v1/context',
  'GET /health/rag',
  'GET /v1/overview',
  'GET /v1/events',
  'GET /v1/events/{position}',
  'GET /v1/events/live',
  'GET /v1/scopes/{scope}/timeline',
  'POST /v1/api-keys',
  'GET /v1/api-keys',
  'DELETE /v1/api-keys/{keyId}',
  'GET /v1/audit',
  'PUT /v1/tenants/{tenant}/limits',
  'GET /v1/tenants/{tenant}/limits',
  'GET /v1/tenants',
  'GET /v1/usage',
  'POST /v1/models',
  'GET /v1/models',
  'POST /v1/models/{id}/test',
  'DELETE /v1/models/{id}',
  'PUT /v1/scopes/{scope}/golden-sets/{set}',
  'GET /v1/scopes/{scope}/golden-sets',
  'GET /v1/scopes/{scope}/golden-sets/{set}',
  'GET /v1/scopes/{scope}/golden-sets/{set}/export',
  'POST /v1/strategies/{id}/evaluate',
  'PUT /v1/strategies/{id}',
  'GET /v1/strategies/{id}',
  'DELETE /v1/scopes/{scope}/golden-sets/{set}',
  'GET /v1/signing-key',
  'POST /v1/admin/verify-log',
  'GET /v1/dead-letters',
  'POST /v1/dead-letters/{id}/retry',
  'DELETE /v1/dead-letters/{id}',
  'GET /v1/exports/{scope}',
  'POST /v1/imports/{scope}',
  'POST /v1/imports/{scope}/documents',
  'POST /v1/scopes/{scope}/reembed',
  'GET /v1/scopes/{scope}/reembed',
  'POST /v1/scopes/{scope}/generations/{generation}/retire',
  'POST /v1/scopes/{scope}/swap/plan/approve',
  'POST /v1/scopes/{scope}/swap/plan',
  'GET /v1/scopes/{scope}/swap/plan',
  'POST /v1/swaps/plan',
  'POST /v1/swaps/plan/tenants',
  'POST /v1/scopes/{scope}/swap',
  'GET /v1/scopes/{scope}/swap',
  'GET /v1/scopes/{scope}/swap/progress',
  'GET /v1/swaps',
  'POST /v1/scopes/{scope}/swap/pause',
  'POST /v1/scopes/{scope}/swap/resume',
  'POST /v1/scopes/{scope}/swap/cancel',
  'POST /v1/scopes/{scope}/swap/evaluate',
  'POST /v1/scopes/{scope}/swap/evaluation',
  'GET /v1/scopes/{scope}/swap/evaluation',
  'POST /v1/scopes/{scope}/swap/canary',
  'GET /v1/scopes/{scope}/swap/canary',
  'DELETE /v1/scopes/{scope}/swap/canary',
  'POST /v1/scopes/{scope}/swap/cutover',
  'POST /v1/scopes/{scope}/swap/rollback',
  'POST /v1/scopes/{scope}/swap/retire',
  'POST /v1/fleets/plan',
  'GET /v1/fleets/{id}/plan',
  'POST /v1/fleets/{id}/plan/approve',
  'POST /v1/fleets',
  'GET /v1/fleets',
  'GET /v1/fleets/{id}',
  'POST /v1/fleets/{id}/pause',
  'POST /v1/fleets/{id}/resume',
  'POST /v1/fleets/{id}/continue',
  'POST /v1/fleets/{id}/cancel',
  'POST /v1/fleets/{id}/rollback',
  'POST /v1/fleets/{id}/retire',
  'GET /v1/status',
  'POST /v1/admin/verify',
  'POST /v1/admin/repair',
  'GET /v1/admin/verify',
  'POST /v1/admin/rebuild',
  'GET /v1/admin/rebuild',
  'POST /v1/admin/rebuild/pause',
  'POST /v1/admin/rebuild/resume',
  'POST /v1/admin/rebuild/cancel',
  'POST /v1/documents/delete',
  'DELETE /v1/documents/{id}',
  'POST /v1/knowledge-bases/{id}/archive',
  'DELETE /v1/knowledge-bases/{id}',
  'PUT /v1/scopes/{scope}/hold',
  'DELETE /v1/scopes/{scope}/hold',
  'POST /v1/subjects/find',
  'POST /v1/subjects/erasure',
  'GET /v1/subjects/{subject}/erasure/receipt',
  'GET /v1/subjects/{subject}/erasure',
  'POST /v1/tenant-erasures/{tenant}',
  'GET /v1/tenant-erasures/{tenant}/receipt',
  'GET /v1/tenant-erasures/{tenant}',
  'POST /v1/scopes/{scope}/history-removal',
  'GET /v1/scopes/{scope}/history-removal',
  'POST /v1/scopes/{scope}/erasure',
  'GET /v1/scopes/{scope}/erasure/receipt',
  'GET /v1/scopes/{scope}/erasure',
];

describe('the examples of the description', () => {
  let data: string;
  let standIn: EmbeddingStandIn;
  let platform: PlatformUnderTest;
  let description: Description;
  let described: Described;
  /** Ids that exist only in this installation. */
  const ids: Record<string, string> = {};
  const answers: Record<string, unknown> = {};
  /** The ids of documents differ between installations. The examples name this document by one id. */
  let documentId = '';
  const exampleId = () =>
    String(
      routesOf(description)
        .find(({ route }) => route === 'GET /v1/documents/{id}')
        ?.operation.parameters.find(({ name }) => name === 'id')?.example,
    );
  const real = (value: unknown): string => (value === exampleId() ? documentId : String(value));

  const start = (model: string, settings: Settings = {}) => PlatformUnderTest.start(data, { ...standIn.settings(model), ...settings });
  const startAgain = async (model: string, settings: Settings = {}): Promise<void> => {
    expect((await platform.stop()).code).toBe(0);
    platform = await start(model, settings);
  };

  beforeAll(async () => {
    data = await aDataFolder();
    standIn = await EmbeddingStandIn.open();
    platform = await start('text-embedding-3-small');
    description = (await platform.client.operations.openApi()) as unknown as Description;
    described = new Described(description);
  }, 600_000);

  afterAll(async () => {
    if (!recording || !('POST /v1/knowledge-bases/{id}/archive' in answers)) return;
    const lines = Object.entries(answers).map(([route, answer]) => `  ${JSON.stringify(route)}: ${JSON.stringify(answer)},`);
    const head =
      '/** The responses of a platform to the examples in the contracts, recorded by e2e/flow/src/examples.spec.ts (see there). */';
    // Replaces revoked keys by a placeholder of the same form.
    const text = lines
      .join('\n')
      .replaceAll(documentId, exampleId())
      .replaceAll(/plk_[\w-]{20,}/g, `plk_${'x'.repeat(43)}`);
    await writeFile(RECORDED, `${head}\nexport const RESPONSE_EXAMPLES: Readonly<Record<string, unknown>> = {\n${text}\n};\n`);
  });

  /** Runs before the example and prepares what it needs. */
  const before: Readonly<Record<string, () => Promise<unknown>>> = {
    'POST /v1/retrievals/{traceId}/replay': () =>
      eventually('the search is on the log', async () => {
        const { traceId } = ids;
        for (const what of ['replay', 'receipt']) ids[`POST /v1/retrievals/{traceId}/${what}`] = traceId ?? '';
        const known = await platform.ask(`POST /v1/retrievals/${traceId}/replay`, { json: {} });
        // Without the text, a known search is refused with another error.
        return known.status === 400 || undefined;
      }),
    'GET /v1/dead-letters': async () => {
      await startAgain('text-embedding-3-small', { PALIMPSEST_INGESTION_ATTEMPTS: '1' });
      standIn.refusal = { when: (text) => text.includes('ill-fated'), status: 401 };
      for (const name of ['one', 'two'])
        await platform.client.documents.submitText({ sourceId: `${name}.md`, text: `An ill-fated text, number ${name}.` });
      const letters = await eventually('two jobs have failed', async () =>
        (await platform.client.operations.deadLetters()).length === 2 ? platform.client.operations.deadLetters() : undefined,
      );
      [ids['POST /v1/dead-letters/{id}/retry'], ids['DELETE /v1/dead-letters/{id}']] = letters.map(({ id }) => id) as [string, string];
      standIn.refusal = undefined;
    },
    'GET /v1/exports/{scope}': () => startAgain('text-embedding-3-small'),
    'POST /v1/subjects/find': () =>
      platform.client.documents.submitText({ sourceId: 'ann.md', subject: 'ann@example.org', text: 'Ann leads the office in Bremen.' }),
    'GET /v1/subjects/{subject}/erasure/receipt': () =>
      eventually('the erasure is complete', async () => {
        const { state } = await platform.client.erasures.getOfPerson(ids['GET /v1/subjects/{subject}/erasure'] ?? '');
        return state === 'completed' || undefined;
      }),
    'POST /v1/tenant-erasures/{tenant}': () => platform.client.operations.createApiKey({ name: 'theirs', tenant: 'paper-mill' }),
    'GET /v1/tenant-erasures/{tenant}/receipt': () =>
      eventually('the erasure is complete', async () => {
        const { state } = await platform.client.erasures.getOfTenant('paper-mill');
        return state === 'completed' || undefined;
      }),
    'GET /v1/scopes/{scope}/erasure/receipt': () =>
      eventually(
        'the erasure is complete',
        async () => (await platform.client.erasures.get('team:people')).state === 'completed' || undefined,
      ),
    'POST /v1/scopes/{scope}/reembed': () => startAgain('text-embedding-3-large'),
    'POST /v1/scopes/{scope}/generations/{generation}/retire': () =>
      eventually(
        'the scope is re-embedded',
        async () => (await platform.client.operations.reembedProgress('deployment')).state === 'idle' || undefined,
      ),
    'POST /v1/scopes/{scope}/swap/plan/approve': async () => {
      await startAgain('text-embedding-4');
      // Another person has to make the plan that this key approves.
      const { key } = await platform.client.operations.createApiKey({ name: 'planner', roles: ['admin'] });
      await platform.ask('POST /v1/scopes/deployment/swap/plan', { key, json: { sample: 0 } });
    },
    'POST /v1/scopes/{scope}/swap': async () => {
      // The swap must not be complete before it is paused.
      standIn.beforeAnswer = () => pause(2_000);
      await startAgain('text-embedding-4');
    },
    'POST /v1/scopes/{scope}/swap/evaluate': async () => {
      standIn.beforeAnswer = () => Promise.resolve();
      // An evaluation needs the models of both sides.
      await startAgain('text-embedding-3-large');
      await platform.client.swaps.start('deployment', { embeddingVersion: 'onnx:all-minilm-l6-v2-int8/384', cutover: 'manual' });
      await eventually(
        'the generation is built',
        async () => (await platform.client.swaps.get('deployment')).state === 'ready' || undefined,
      );
    },
    'GET /v1/scopes/{scope}/swap/evaluation': async () => {
      await eventually(
        'the evaluation in the background is complete',
        async () => (await platform.client.swaps.get('deployment')).evaluationRun?.state === 'complete' || undefined,
      );
    },
    'GET /v1/scopes/{scope}/swap/canary': async () => {
      await platform.client.search({ query: 'how many days may be carried over?' });
      await eventually(
        'a query of the canary is compared',
        async () => (await platform.client.swaps.canary('deployment')).comparison !== undefined || undefined,
      );
    },
    'POST /v1/fleets/{id}/plan/approve': async () => {
      // Another person has to make the plan that this key approves.
      const { key } = await platform.client.operations.createApiKey({ name: 'fleet-planner', roles: ['admin'] });
      const { json } = await platform.ask('POST /v1/fleets/plan', { key, json: { percents: [100], sample: 0 } });
      ids['POST /v1/fleets/{id}/plan/approve'] = String(json['id']);
    },
    'POST /v1/fleets': async () => {
      // The first wave must not be complete before the fleet is paused.
      standIn.beforeAnswer = () => pause(2_000);
      await startAgain('text-embedding-5');
    },
    'POST /v1/fleets/{id}/continue': async () => {
      standIn.beforeAnswer = () => Promise.resolve();
      await fleetIs('waits after its first wave', ({ state }) => state === 'waiting');
    },
    'POST /v1/fleets/{id}/cancel': async () => {
      await platform.client.fleets.rollBack(ids['POST /v1/fleets/{id}/cancel'] ?? '');
      await fleetIs('is rolled back', ({ unfinished }) => unfinished === 0);
      standIn.beforeAnswer = () => pause(2_000);
      const { id } = await platform.client.fleets.start({ percents: [10, 100] });
      for (const route of OF_FLEETS) ids[route] = id;
    },
    'POST /v1/fleets/{id}/retire': async () => {
      await fleetIs('is rolled back', ({ unfinished }) => unfinished === 0);
      const { id } = await platform.client.fleets.start({ percents: [100] });
      await platform.client.fleets.cancel(id);
      ids['POST /v1/fleets/{id}/retire'] = id;
    },
    'POST /v1/admin/rebuild/pause': async () => {
      // One event per second: it does not end before it is cancelled.
      platform.client.operations.rebuild({ maxEventsPerSecond: 1 }).catch(() => undefined);
      // The rebuild of the example before has also measured its events, but it does not run.
      await eventually('a rebuild runs', async () => {
        const { state, eventsPerSecond } = await platform.client.operations.rebuildStatus();
        return (state === 'running' && eventsPerSecond !== undefined) || undefined;
      });
    },
  };
  const OF_FLEETS = ORDER.filter((route) => route.includes('/v1/fleets/{id}') && !route.includes('/plan'));
  const fleetIs = (what: string, check: (fleet: FleetView) => boolean) =>
    eventually(`the fleet ${what}`, async () => check(await platform.client.fleets.get(ids['GET /v1/fleets/{id}'] ?? '')) || undefined);
  const after: Readonly<Record<string, (answer: Answer) => Promise<unknown>>> = {
    'POST /v1/documents': async (answer) => {
      documentId ||= one(accepted(answer.json as unknown as SubmissionResult)).documentId;
      await indexed(answer);
    },
    'POST /v1/search': async ({ json }) => (ids['traceId'] = String(json['traceId'])),
    'PUT /v1/documents/{id}': (answer) => indexed(answer),
    'POST /v1/documents/{id}/retry': (answer) => indexed(answer),
    'POST /v1/imports/{scope}/documents': (answer) => indexed(answer),
    'POST /v1/fleets/plan': async ({ json }) => (ids['GET /v1/fleets/{id}/plan'] = String(json['id'])),
    'POST /v1/fleets': async ({ json }) => {
      for (const route of OF_FLEETS) ids[route] = String(json['id']);
    },
    'POST /v1/subjects/erasure': async ({ json }) => {
      for (const what of ['', '/receipt']) ids[`GET /v1/subjects/{subject}/erasure${what}`] = String(json['subject']);
    },
    'POST /v1/api-keys': async ({ json }) => (ids['DELETE /v1/api-keys/{keyId}'] = String(json['keyId'])),
    'GET /v1/events': async ({ json }) =>
      (ids['GET /v1/events/{position}'] = (json['events'] as { position: string }[])[0]?.position ?? ''),
  };
  const indexed = async ({ json }: Answer) => {
    const { documents } = await platform.client.waitFor(accepted(json as unknown as SubmissionResult), { pollMs: 20 });
    expect(documents.map(({ status, detail }) => ({ status, detail }))).toEqual(
      documents.map(() => ({ status: 'indexed', detail: undefined })),
    );
  };

  const addressOf = ({ route, path, operation }: DescribedRoute): Readonly<{ url: string; headers: Record<string, string> }> => {
    const query = new URLSearchParams();
    const headers: Record<string, string> = {};
    let filled = path;
    for (const { name, in: place, example } of operation.parameters.filter((each) => each.example !== undefined)) {
      if (place === 'path') filled = filled.replace(`{${name}}`, encodeURIComponent(ids[route] ?? real(example)));
      else if (place === 'header') headers[name] = String(example);
      else for (const value of [example].flat()) query.append(name, real(value));
    }
    const search = query.toString();
    return { url: `${filled}${search === '' ? '' : `?${search}`}`, headers };
  };

  const sendable = (type: string, example: unknown): AskOptions => {
    if (type === 'application/json') return { json: example };
    if (type !== 'multipart/form-data') return { body: String(example), headers: { 'content-type': type } };
    const form = new FormData();
    for (const [name, value] of Object.entries(example as Record<string, unknown>)) if (name !== 'file') form.append(name, String(value));
    for (const text of (example as { file: string[] }).file) form.append('file', new File([text], 'travel.md', { type: 'text/markdown' }));
    return { body: form };
  };

  const successOf = ({ operation }: DescribedRoute): number =>
    Number(Object.keys(operation.responses).find((status) => Number(status) < 400));

  /** The first message of a stream, because the stream does not end. */
  const listen = async ({ route }: DescribedRoute, url: string): Promise<unknown> => {
    const stream = await ServerSent.open(platform.url, platform.key, url);
    await eventually('a message arrives', () => Promise.resolve(stream.messages.length > 0 || undefined));
    await stream.close();
    const first = one(stream.messages.slice(0, 1));
    expect(
      described.violations(
        first.data,
        'paths',
        route.split(' ')[1] ?? '',
        'get',
        'responses',
        '200',
        'content',
        'text/event-stream',
        'schema',
        'contentSchema',
      ),
    ).toEqual([]);
    return `id: ${first.id}\nevent: ${first.event}\ndata: ${JSON.stringify(first.data)}\n\n`;
  };

  const run = async (known: DescribedRoute): Promise<void> => {
    const { route, method, operation } = known;
    await before[route]?.();
    const { url, headers } = addressOf(known);
    if (url.startsWith('/v1/') && (url.includes('/live') || url.includes('/swap/progress')))
      return void (answers[route] = await listen(known, url));
    const bodies = Object.entries(operation.requestBody?.content ?? {});
    const sent = bodies.length === 0 ? [{}] : bodies.map(([type, { example }]) => sendable(type, example));
    for (const [i, options] of sent.entries()) {
      // If an example has several bodies, only the first one finds the version in its headers.
      const given = i === 0 ? headers : {};
      const answer = await platform.ask(`${method} ${url}`, { ...options, headers: { ...options.headers, ...given } });
      expect({ route, status: answer.status, text: answer.status < 400 ? '' : answer.text }).toEqual({
        route,
        status: successOf(known),
        text: '',
      });
      expect(described.answerViolations({ method, url, ...answer })).toEqual([]);
      if (i === 0 && answer.text !== '')
        answers[route] = answer.headers.get('content-type')?.startsWith('application/json') ? answer.json : answer.text;
      await after[route]?.(answer);
    }
  };

  it('work sequentially on a new platform', async () => {
    const routes = routesOf(description);
    expect(routes.map(({ route }) => route).sort()).toEqual([...ORDER].sort());
    for (const route of ORDER) for (const known of routes.filter((each) => each.route === route)) await run(known);
  }, 1_200_000);

  it('get the documented responses, except for values that differ between platforms', () => {
    for (const { route, operation } of routesOf(description))
      for (const [status, { content }] of Object.entries(operation.responses).filter(([code]) => Number(code) < 400))
        for (const { example } of recording ? [] : Object.values(content ?? {}))
          expect({ route, status, shape: shapeOf(example) }).toEqual({ route, status, shape: shapeOf(answers[route]) });
  });
});

/**
 * Fields that are present only after a measurement or an event; damage of the log only if the log is stored in a folder; bytes of a
 * generation in memory and on disk only when an index has reported them.
 */
const SOMETIMES = [
  'counts',
  'mean',
  'p50',
  'p95',
  'depth',
  'queueDepth',
  'lagPositions',
  'lagMs',
  'progress',
  'held',
  'capacity',
  'events',
  'next',
  'logDamage',
  'chunksPerSecond',
  'eventsPerSecond',
  'remainingSeconds',
  'freed',
  'memory',
  'disk',
];

/** Names and types without values; for a list, those of its first element; for a text of several JSON values, those of the first one. */
const shapeOf = (value: unknown): unknown => {
  if (typeof value === 'string' && /^(?:id: .*\n.*\ndata: |)\{/.test(value)) return shapeOf(JSON.parse(/\{.*/.exec(value)?.[0] ?? '{}'));
  if (Array.isArray(value)) return value.length === 0 ? [] : [shapeOf(value[0])];
  if (typeof value !== 'object' || value === null) return typeof value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name]) => !SOMETIMES.includes(name))
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, each]) => [name, shapeOf(each)]),
  );
};
