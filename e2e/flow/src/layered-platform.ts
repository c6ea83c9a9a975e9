import { pino } from 'pino';
import { PalimpsestClient } from '@palimpsest/client';
import { listen, createPlatform, WHOLE_PLATFORM } from '@palimpsest/platform';
import { DEFAULT_TENANT, type TenantId } from '@palimpsest/knowledge/values';
import { openDataFolder, openEmbeddedAdapters, type EmbeddedPorts } from '@palimpsest/platform/embedded';
import { platformConfig } from '@palimpsest/platform/settings';
import { ask, type Answer } from '@palimpsest/e2e-support/ask';
import { EmbeddingStandIn } from '@palimpsest/e2e-support/embedding-stand-in';
import { submitText } from '@palimpsest/e2e-support/submit';
import { aDataFolder } from '@palimpsest/e2e-support/platform-under-test';
import { afterSuite } from '@palimpsest/e2e-support/tidy-up';

/** A word that only the red team of the tenant `default` may see, and all names that would reveal its document. */
export const SECRETS = ['hippogriff', 'Stable rules', 'stables'];

/** Replaces ports to disable a layer. Receives the real adapters, and returns the replacements. */
export type Seam = (ports: EmbeddedPorts) => Partial<EmbeddedPorts>;

/**
 * The platform in this process, with some ports replaced before the application uses them. Tests use it to disable a layer, for which
 * the platform has no setting.
 */
export class LayeredPlatform {
  readonly url: string;
  /** What the service logged as internal errors. */
  readonly faults: unknown[];
  readonly #keyOf: (tenant: string, key: Readonly<{ teams?: readonly string[]; roles: readonly string[] }>) => Promise<string>;

  private constructor(url: string, faults: unknown[], keyOf: LayeredPlatform['keyOf']) {
    this.url = url;
    this.faults = faults;
    this.#keyOf = keyOf;
  }

  static async start(seam: Seam = () => ({})): Promise<LayeredPlatform> {
    const config = platformConfig({
      ...(await EmbeddingStandIn.open()).settings(),
      PALIMPSEST_DATA: await aDataFolder(),
      PALIMPSEST_PORT: '0',
      PALIMPSEST_SAMPLES: 'false',
    });
    const faults: unknown[] = [];
    const adapters = await openEmbeddedAdapters(config, await openDataFolder(config.data), (error) => faults.push(error));
    const platform = createPlatform(WHOLE_PLATFORM, { ...adapters.ports, ...seam(adapters.ports) });
    await platform.start();
    const { url, close } = await listen(
      platform,
      { ...config, console: false },
      silentLog((error) => faults.push(error)),
    );
    afterSuite(async () => {
      await close();
      await platform.stop();
      await adapters.close();
    });
    const keyOf: LayeredPlatform['keyOf'] = async (tenant, { teams = [], roles }) =>
      (
        await platform.apiKeys.issueUnchecked(
          tenant as TenantId,
          { name: 'test', teams, roles: roles as readonly ['reader'] },
          'test',
          'test',
        )
      ).key;
    return new LayeredPlatform(url, faults, keyOf);
  }

  keyOf(tenant: string, key: Readonly<{ teams?: readonly string[]; roles: readonly string[] }>): Promise<string> {
    return this.#keyOf(tenant, key);
  }

  as(apiKey: string): PalimpsestClient {
    return new PalimpsestClient({ url: this.url, apiKey });
  }

  /** Adds a document of the red team with the secrets, and a document of each other team. */
  async fill(): Promise<Readonly<{ documentId: string; position: string }>> {
    const red = this.as(await this.keyOf(DEFAULT_TENANT, { teams: ['red'], roles: ['writer'] }));
    await red.knowledgeBases.create({ id: 'stables', scope: 'team:red' });
    const { documentId } = await submitText(red, {
      knowledgeBase: 'stables',
      sourceId: 'rules.md',
      title: 'Stable rules',
      text: 'Common rules of the house: a hippogriff sleeps here.',
    });
    const { events } = await red.events.list({ types: ['KnowledgeChunkIndexed'] });
    for (const [tenant, id] of [
      [DEFAULT_TENANT, 'cellar'],
      ['other', 'attic'],
    ] as const) {
      const blue = this.as(await this.keyOf(tenant, { teams: ['blue'], roles: ['writer'] }));
      await blue.knowledgeBases.create({ id, scope: 'team:blue' });
      await submitText(blue, { knowledgeBase: id, sourceId: 'own.md', text: 'Common rules of the house: everybody shuts the door.' });
    }
    return { documentId, position: events[0]?.position ?? '' };
  }

  /** Tries every way to read the red team's document, and returns the responses. */
  async attempts(
    key: string,
    { documentId, position }: Readonly<{ documentId: string; position: string }>,
  ): Promise<readonly Readonly<{ route: string; answer: Answer }>[]> {
    const query = { query: 'common rules of the house hippogriff' };
    const tries: readonly (readonly [route: string, json?: unknown])[] = [
      ['POST /v1/search', query],
      ['POST /v1/search', { ...query, scopes: ['team:red'] }],
      ['POST /v1/search', { ...query, strategy: 'SparseOnly' }],
      ['POST /v1/search', { ...query, strategy: 'DenseOnly' }],
      ['POST /v1/search', { ...query, knowledgeBases: ['stables'] }],
      ['POST /v1/context', query],
      ['POST /v1/context', { ...query, scopes: ['team:red'] }],
      ['GET /v1/documents'],
      ['GET /v1/documents?knowledgeBase=stables'],
      [`GET /v1/documents/${documentId}`],
      [`GET /v1/documents/${documentId}/chunks`],
      [`GET /v1/documents/${documentId}/versions/1`],
      [`GET /v1/documents/${documentId}/diff`],
      ['GET /v1/knowledge-bases'],
      ['GET /v1/knowledge-bases/stables'],
      ['GET /v1/status'],
      ['GET /v1/events'],
      ['GET /v1/events?scope=team:red'],
      [`GET /v1/events?document=${documentId}`],
      ['GET /v1/events?knowledgeBase=stables'],
      [`GET /v1/events/${position}`],
      ['GET /v1/scopes/team:red/timeline'],
      ['GET /v1/scopes/team:red/timeline?knowledgeBase=stables'],
      ['GET /v1/scopes/deployment/timeline?knowledgeBase=stables'],
      ['GET /v1/exports/team:red'],
      ['PATCH /v1/knowledge-bases/stables', { name: 'Mine' }],
      [`POST /v1/documents/${documentId}/retry`],
      ['POST /v1/documents', { knowledgeBase: 'stables', sourceId: 'x.md', text: 'x' }],
    ];
    const attempts = [];
    for (const [route, json] of tries)
      attempts.push({ route, answer: await ask(this.url, route, { key, ...(json === undefined ? {} : { json }) }) });
    return attempts;
  }
}

/** A log that prints nothing, and passes on the errors of requests. */
const silentLog = (onError: (error: unknown) => void) =>
  pino({
    level: 'error',
    hooks: { logMethod: ([fields]) => void (typeof fields === 'object' && fields !== null && 'err' in fields && onError(fields.err)) },
  });

/** What repeats the name that a caller sent: a problem, or the record of a search with that filter. */
const sent = (status: number): string => (status < 400 ? '"knowledgeBases":["stables"]' : '"stables\\"');

/** The responses that contain a secret, except for text that the caller sent. */
export const leaks = (attempts: readonly Readonly<{ route: string; answer: Answer }>[]): readonly string[] =>
  attempts
    .filter(({ answer: { status, text } }) => SECRETS.some((secret) => text.replaceAll(sent(status), '').includes(secret)))
    .map(({ route, answer }) => `${route}: ${answer.text.slice(0, 300)}`);
