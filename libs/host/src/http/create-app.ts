import 'reflect-metadata';
import type { IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import multipart from '@fastify/multipart';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import type { OpenAPIObject } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import type { Journal } from '@palimpsest/contracts';
import { InvalidValue } from '@palimpsest/knowledge';
import type { ReadModels } from '@palimpsest/knowledge';
import { AuditTrail, authenticate, callerOf, PORT, policyOf, problemOf, type ApiKeys, type AuditOptions, type AuthenticatedRequest, type TenantAdmission } from '@palimpsest/runtime';
import { NO_TELEMETRY, type Telemetry } from '../telemetry/telemetry.ts';
import { auditRequests } from './audit/audit-requests.ts';
import { bodyRules, JSON_TYPE, LINES_TYPE } from './bodies/body-rules.ts';
import { readJson } from './bodies/json-body.ts';
import { answerClientError } from './connection/client-errors.ts';
import { httpServer } from './connection/http-server.ts';
import { Doors, type DoorLimits } from './overload/doors.ts';
import { QuietTurns } from './overload/quiet-turns.ts';
import { openApiDocument } from './openapi/openapi-document.ts';
import { carryPositions } from './positions.ts';
import { carryRateLimits } from './rate-limits.ts';
import { requestIdOf } from './request-id.ts';
import { askDoors, askForKey, refuseUnreadable, wasRefused } from './routes/gate.ts';
import { rememberRoutes } from './routes/other-methods.ts';
import { serveConsole } from './serve-console.ts';
import { serveDocs } from './serve-docs.ts';

/** How long requests that are under way when the process is told to stop may take. */
const DRAIN_MS = 10_000;
/** Longer than any id in a path, percent-encoded; the router's own limit of 100 is shorter than a scope may be. */
const MAX_PARAM_LENGTH = 500;
const MIB = 1024 * 1024;
/**
 * New connections that the kernel keeps until they are taken in; as many as Linux allows by itself. Where it has no room, callers
 * come again after a second, then two, four, … and nobody tells them why; here they wait until they are let in or refused.
 */
const BACKLOG = 4_096;

export type AppSettings = Readonly<{
  port: number;
  host: string;
  /** Names by which it is reached through a proxy. */
  allowedHosts: readonly string[];
  maxDocumentBytes: number;
  /** How much is worked on at the same time, and how much may wait. */
  doors: DoorLimits;
  /** How long the body of a request may be on its way without any of it coming, milliseconds. */
  bodyMs: number;
  /** `trustedProxies`: how many addresses at the end of `X-Forwarded-For` are those of callers and not their own words. */
  audit: Pick<AuditOptions, 'retentionSeconds' | 'readsPerDay'> & Readonly<{ trustedProxies: number }>;
  /** Serve the web console and the page of the API, too. */
  console?: boolean;
}>;
export type ListeningApp = Readonly<{ app: NestFastifyApplication; url: string; close: () => Promise<void> }>;

/**
 * Puts a Nest module behind HTTP and listens. What goes wrong on the way closes what was opened. `described`: what /openapi.json
 * says, where that is more than this module.
 */
export const listen = async (
  module: Parameters<typeof NestFactory.create>[0],
  config: AppSettings,
  apiKeys: ApiKeys,
  log: Logger,
  telemetry: Telemetry = NO_TELEMETRY,
  described?: OpenAPIObject,
): Promise<ListeningApp> => {
  const app = await createApp(module, config, { apiKeys, log, telemetry, described });
  const close = async (): Promise<void> => {
    // Whoever dawdles over an upload must not keep the process from ending.
    const cutOff = setTimeout(() => app.getHttpServer().closeAllConnections(), DRAIN_MS);
    await app.close();
    clearTimeout(cutOff);
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
  module: Parameters<typeof NestFactory.create>[0],
  config: AppSettings,
  { apiKeys, log, telemetry, described }: Readonly<{ apiKeys: ApiKeys; log: Logger; telemetry: Telemetry; described: OpenAPIObject | undefined }>,
): Promise<NestFastifyApplication> => {
  const turns = new QuietTurns();
  const doors = new Doors(config.doors, (refused) => log.warn({ refused }, 'requests refused, since too much is under way'), turns.later);
  const adapter = new FastifyAdapter({
    serverFactory: httpServer(turns, config),
    clientErrorHandler: answerClientError,
    genReqId: requestIdOf,
    forceCloseConnections: 'idle',
    // A request that was on its way when the listening ended is answered like those before it.
    return503OnClosing: false,
    routerOptions: { maxParamLength: MAX_PARAM_LENGTH },
    // What the router refuses comes to no filter of Nest's.
    frameworkErrors: (_error: Error, request: FastifyRequest, reply: FastifyReply) => {
      const answer = problemOf(new InvalidValue('url', 'a path with valid percent-encoding and no overlong parts', request.raw.url));
      void reply.status(answer.status).headers({ 'content-type': 'application/problem+json', 'x-request-id': request.id }).send(answer);
    },
  });
  const app = await NestFactory.create<NestFastifyApplication>(module, adapter, { logger: false, abortOnError: false, bodyParser: false });
  const fastify = app.getHttpAdapter().getInstance();
  const completeRoutes = rememberRoutes(fastify);
  const rules = bodyRules(config.maxDocumentBytes);
  fastify.removeAllContentTypeParsers();
  // How many files a form may have is counted where they are accepted, which then says which ones were.
  await app.register(multipart as never, { limits: { fileSize: config.maxDocumentBytes, parts: Infinity, files: Infinity, fields: 20, fieldSize: 64 * 1024 }, preservePath: true, throwFileSizeLimit: false });
  fastify.addContentTypeParser(JSON_TYPE, (request: FastifyRequest, body: IncomingMessage) => readJson(body, rules[policyOf(request).body ?? 'command'][JSON_TYPE] ?? 0));
  // Read by its route, line by line: it may be larger than any memory.
  fastify.addContentTypeParser(LINES_TYPE, async (_request: FastifyRequest, body: IncomingMessage) => body);
  telemetry.requests(fastify);
  telemetry.doors(() => doors.figures());
  askForKey(fastify, apiKeys);
  refuseUnreadable(fastify, rules);
  askDoors(fastify, doors, { rules, mostBytes: config.maxDocumentBytes + MIB, bodyMs: config.bodyMs });
  const journal = app.get<Journal>(PORT.Journal, { strict: false });
  carryPositions(fastify, {
    readModels: app.get<ReadModels>(PORT.ReadModels, { strict: false }),
    log: journal.log,
    callerOf: ({ headers }) => authenticate(apiKeys, headers.authorization),
  });
  carryRateLimits(fastify, app.get<TenantAdmission>(PORT.Admission, { strict: false }));
  fastify.addHook('onSend', async (request, reply) => void reply.header('x-request-id', request.id));
  const { trustedProxies, ...kept } = config.audit;
  const trail = new AuditTrail(journal, { ...kept, onError: (error) => log.error({ err: error }, 'the audit trail could not be written, and is written later') });
  auditRequests(fastify, { trail, trustedProxies, callerOf: (request) => (request as AuthenticatedRequest).access ?? callerOf(apiKeys, request.headers.authorization) });
  // Route, status, time and the id of the key; never a body, a query or a key itself.
  fastify.addHook('onResponse', async (request, reply) => {
    // Refused for load, which the doors report together: a line for each would cost more than refusing it.
    if (wasRefused(request.raw)) return;
    const { access } = request as AuthenticatedRequest;
    const by = access === undefined ? {} : { tenant: access.tenant, actor: access.actor };
    log.info({ id: request.id, method: request.method, route: request.routeOptions.url, status: reply.statusCode, ...by, ms: Math.round(reply.elapsedTime * 100) / 100 }, 'request');
  });
  if (config.console === true && !(await serveConsole(app))) log.warn('the web console is not built (npm run build), and not served');
  if (config.console === true) await serveDocs(app);
  const openapi = described ?? openApiDocument(app);
  fastify.get('/openapi.json', { config: { policy: { public: true } } }, async () => openapi);
  await app.init();
  completeRoutes();
  return app;
};
