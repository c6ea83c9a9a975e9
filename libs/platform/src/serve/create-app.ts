import 'reflect-metadata';
import type { IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import multipart from '@fastify/multipart';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import { SYSTEM } from '@palimpsest/foundation';
import { InvalidValue } from '@palimpsest/knowledge/errors';
import { AuditTrail, authenticate, callerOf, type AuditOptions, auditRequests, carryRateLimits, askForKey } from '@palimpsest/tenancy';
import { policyOf, problemOf, type AuthenticatedRequest } from '@palimpsest/http';
import type { ServedPlatform } from '../platform.ts';
import { NO_TELEMETRY, type Telemetry } from '@palimpsest/telemetry';
import {
  bodyRules,
  JSON_TYPE,
  LINES_TYPE,
  readJson,
  answerClientError,
  httpServer,
  LoadShedder,
  type LoadShedderLimits,
  QuietTicks,
  openApiDocument,
  carryPositions,
  requestIdOf,
  shedLoad,
  refuseUnreadable,
  wasRefused,
  rememberRoutes,
  requireContracts,
  serveConsole,
  serveDocs,
} from '@palimpsest/http/server';
import { httpModule } from './http-module.ts';

/** Time for requests in progress to complete when the process stops. */
export const DRAIN_MS = 10_000;
/** Longer than any id in a path, percent-encoded; the router's own limit of 100 is shorter than a scope may be. */
const MAX_PARAM_LENGTH = 500;
const MIB = 1024 * 1024;
/**
 * New connections that the kernel queues until they are accepted; the default maximum of Linux. If this queue were full, clients
 * would retry after one second, then two, four, … without an error message. With it, they wait until they are admitted or refused.
 */
export const BACKLOG = 4_096;

export type AppSettings = Readonly<{
  port: number;
  host: string;
  /** Host names under which a proxy reaches this server. */
  allowedHosts: readonly string[];
  maxDocumentBytes: number;
  /** How many requests may be in progress and in the queue. */
  loadLimits: LoadShedderLimits;
  /** Time in milliseconds after which a body that sends no more data is ended. */
  bodyMs: number;
  /** `trustedProxies`: how many addresses at the end of `X-Forwarded-For` were added by trusted proxies. */
  audit: Pick<AuditOptions, 'retentionSeconds' | 'readsPerDay'> & Readonly<{ trustedProxies: number }>;
  /** Whether to serve the web console and the API reference. */
  console?: boolean;
}>;
export type ListeningApp = Readonly<{ app: NestFastifyApplication; url: string; close: () => Promise<void> }>;

/** Serves a platform over HTTP. If this fails, it closes what it opened. `close` answers the requests in progress; stop the platform after it. */
export const listen = async (
  platform: ServedPlatform,
  config: AppSettings,
  log: Logger,
  telemetry: Telemetry = NO_TELEMETRY,
): Promise<ListeningApp> => {
  const app = await createApp(platform, config, { log, telemetry });
  const close = async (): Promise<void> => {
    await platform.endStreams();
    // A slow upload must not keep the process from ending.
    const cancelCutOff = SYSTEM.scheduler.after(DRAIN_MS, () => app.getHttpServer().closeAllConnections());
    await app.close();
    cancelCutOff();
  };
  try {
    await app.listen({ port: config.port, host: config.host, backlog: BACKLOG });
    const { address, port, family } = app.getHttpServer().address() as AddressInfo;
    return { app, close, url: `http://${family === 'IPv6' ? `[${address}]` : address}:${port}` };
  } catch (error) {
    await close();
    throw error;
  }
};

const createApp = async (
  platform: ServedPlatform,
  config: AppSettings,
  { log, telemetry }: Readonly<{ log: Logger; telemetry: Telemetry }>,
): Promise<NestFastifyApplication> => {
  const { apiKeys, journal, readModels, quotas } = platform;
  const quietTicks = new QuietTicks();
  const loadShedder = new LoadShedder(
    config.loadLimits,
    (refused) => log.warn({ refused }, 'requests refused: too many requests in progress'),
    quietTicks.later,
  );
  const adapter = new FastifyAdapter({
    serverFactory: httpServer(quietTicks, config),
    clientErrorHandler: answerClientError,
    genReqId: requestIdOf,
    forceCloseConnections: 'idle',
    // A request that was being sent when the server stopped listening is answered normally.
    return503OnClosing: false,
    routerOptions: { maxParamLength: MAX_PARAM_LENGTH },
    // Errors of the router do not reach the filters of Nest.
    frameworkErrors: (_error: Error, request: FastifyRequest, reply: FastifyReply) => {
      const answer = problemOf(new InvalidValue('url', 'a path with valid percent-encoding and parts of limited length', request.raw.url));
      void reply.status(answer.status).headers({ 'content-type': 'application/problem+json', 'x-request-id': request.id }).send(answer);
    },
  });
  const app = await NestFactory.create<NestFastifyApplication>(
    httpModule(platform, (error, request) => log.error({ err: error, ...request }, 'request failed')),
    adapter,
    { logger: false, abortOnError: false, bodyParser: false },
  );
  const fastify = app.getHttpAdapter().getInstance();
  requireContracts(fastify);
  const completeRoutes = rememberRoutes(fastify);
  const rules = bodyRules(config.maxDocumentBytes);
  fastify.removeAllContentTypeParsers();
  // The number of files is limited where they are accepted, so that the response can report which ones were.
  await app.register(multipart as never, {
    limits: { fileSize: config.maxDocumentBytes, parts: Infinity, files: Infinity, fields: 20, fieldSize: 64 * 1024 },
    preservePath: true,
    throwFileSizeLimit: false,
  });
  fastify.addContentTypeParser(JSON_TYPE, (request: FastifyRequest, body: IncomingMessage) =>
    readJson(body, rules[policyOf(request).body ?? 'command'][JSON_TYPE] ?? 0),
  );
  // The route reads it line by line: it may be larger than the memory.
  fastify.addContentTypeParser(LINES_TYPE, async (_request: FastifyRequest, body: IncomingMessage) => body);
  telemetry.requests(fastify);
  telemetry.httpQueue(() => loadShedder.figures());
  askForKey(fastify, apiKeys);
  refuseUnreadable(fastify, rules);
  shedLoad(fastify, loadShedder, { rules, maxBytes: config.maxDocumentBytes + MIB, bodyMs: config.bodyMs });
  carryPositions(fastify, {
    readModels,
    log: journal.log,
    callerOf: ({ headers }) => authenticate(apiKeys, headers.authorization),
  });
  carryRateLimits(fastify, quotas);
  fastify.addHook('onSend', async (request, reply) => void reply.header('x-request-id', request.id));
  const { trustedProxies, ...kept } = config.audit;
  const trail = new AuditTrail(journal, {
    ...kept,
    onError: (error) => log.error({ err: error }, 'cannot write the audit trail; retrying later'),
  });
  auditRequests(fastify, {
    trail,
    trustedProxies,
    callerOf: (request) => (request as AuthenticatedRequest).access ?? callerOf(apiKeys, request.headers.authorization),
  });
  // Logs route, status, time and the id of the key; never a body, a query or the key itself.
  fastify.addHook('onResponse', async (request, reply) => {
    // The load shedder reports its refusals in batches: a line for each would cost more than the refusal.
    if (wasRefused(request.raw)) return;
    const { access } = request as AuthenticatedRequest;
    const by = access === undefined ? {} : { tenant: access.tenant, actor: access.actor };
    log.info(
      {
        id: request.id,
        method: request.method,
        route: request.routeOptions.url,
        status: reply.statusCode,
        ...by,
        ms: Math.round(reply.elapsedTime * 100) / 100,
      },
      'request',
    );
  });
  if (config.console === true && !(await serveConsole(app)))
    log.warn('the web console is not served because it is not built (npm run build)');
  if (config.console === true) await serveDocs(app);
  // That of the whole API, from every service: behind a gateway they share one address. Made on first use, which keeps starts short.
  let openapi: ReturnType<typeof openApiDocument> | undefined;
  fastify.get('/openapi.json', { config: { policy: { public: true } } }, async () => (openapi ??= openApiDocument()));
  await app.init();
  completeRoutes();
  return app;
};
