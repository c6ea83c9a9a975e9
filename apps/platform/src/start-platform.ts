import 'reflect-metadata';
import { rm, writeFile } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { randomUUID } from 'node:crypto';
import multipart from '@fastify/multipart';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import { SubmitDocument, KnowledgeBases } from '@palimpsest/ingestion';
import { InvalidValue, START } from '@palimpsest/knowledge';
import { authenticate, problemOf, type ApiKeys } from '@palimpsest/runtime';
import { openEmbeddedAdapters } from './adapters.ts';
import type { PlatformConfig } from './config.ts';
import { openDataFolder } from './data-folder.ts';
import { openApiDocument } from './http/openapi.ts';
import { ensureLocalKey } from './local-key.ts';
import { PlatformModule } from './platform.module.ts';
import { loadSamples } from './samples.ts';

export type RunningPlatform = Readonly<{ url: string; key: string; samples: Promise<number>; stop: () => Promise<void> }>;

/** How long requests that are under way when the platform is told to stop may take. */
const DRAIN_MS = 10_000;

const REQUEST_ID = /^[A-Za-z0-9._-]{1,100}$/;

/** Opens the folder, starts the features, listens. Whatever goes wrong on the way closes what was opened. */
export const startPlatform = async (config: PlatformConfig, log: Logger): Promise<RunningPlatform> => {
  const folder = await openDataFolder(config.data);
  const onFault = (error: unknown, about: string): void => log.error({ err: error, about }, 'fault');
  const adapters = await openEmbeddedAdapters(config, folder, onFault);
  let app: NestFastifyApplication | undefined;
  try {
    await adapters.apiKeys.start(START, (error) => onFault(error, 'following API keys'));
    app = await createApp(config, PlatformModule.on(adapters, (error, request) => log.error({ err: error, ...request }, 'request failed')), adapters.apiKeys, log);
    await app.listen(config.port, config.host);
    const key = await ensureLocalKey(folder.localKey, adapters.apiKeys);
    const { address, port, family } = app.getHttpServer().address() as AddressInfo;
    const url = `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`;
    await writeFile(folder.server, `${JSON.stringify({ url, pid: process.pid, startedAt: new Date().toISOString() })}\n`, { mode: 0o600 });
    const running = app;
    const samples = config.samples ? loadSamples(running.get(KnowledgeBases), running.get(SubmitDocument), adapters.journal) : Promise.resolve(0);
    samples.catch((error: unknown) => onFault(error, 'loading the samples'));
    const stop = async (): Promise<void> => {
      await rm(folder.server, { force: true });
      await samples.catch(() => undefined);
      // Whoever dawdles over an upload must not keep the process from ending.
      const cutOff = setTimeout(() => running.getHttpServer().closeAllConnections(), DRAIN_MS);
      await running.close();
      clearTimeout(cutOff);
      await adapters.apiKeys.stop();
      await adapters.close();
    };
    return { url, key, samples, stop };
  } catch (error) {
    await app?.close();
    await adapters.apiKeys.stop();
    await adapters.close();
    throw error;
  }
};

/** Longer than any id in a path, percent-encoded; the router's own limit of 100 is shorter than a scope may be. */
const MAX_PARAM_LENGTH = 500;

const createApp = async (config: PlatformConfig, module: Parameters<typeof NestFactory.create>[0], apiKeys: ApiKeys, log: Logger): Promise<NestFastifyApplication> => {
  const adapter = new FastifyAdapter({
    bodyLimit: config.maxDocumentBytes + 1024 * 1024,
    genReqId: (request: { headers: Record<string, string | string[] | undefined> }) => {
      const given = request.headers['x-request-id'];
      return typeof given === 'string' && REQUEST_ID.test(given) ? given : randomUUID();
    },
    forceCloseConnections: 'idle',
    routerOptions: { maxParamLength: MAX_PARAM_LENGTH },
    // What the router refuses comes to no filter of Nest's.
    frameworkErrors: (_error: Error, request: FastifyRequest, reply: FastifyReply) => {
      const answer = problemOf(new InvalidValue('url', 'a path with valid percent-encoding and no overlong parts', request.raw.url));
      void reply.status(answer.status).header('content-type', 'application/problem+json').send(answer);
    },
  });
  const app = await NestFactory.create<NestFastifyApplication>(module, adapter, { logger: false, abortOnError: false });
  await app.register(multipart as never, { limits: { fileSize: config.maxDocumentBytes, files: 1_000, fields: 20, fieldSize: 64 * 1024 }, preservePath: true, throwFileSizeLimit: false });
  const fastify = app.getHttpAdapter().getInstance();
  // Before the body is read: who has no key gets no memory either.
  fastify.addHook('onRequest', async ({ url, headers }) => void (url.startsWith('/v1/') && authenticate(apiKeys, headers.authorization)));
  fastify.addHook('onSend', async (request, reply) => void reply.header('x-request-id', request.id));
  // Route, status and time; never a body, a query or a key.
  fastify.addHook('onResponse', async (request, reply) => {
    log.info({ id: request.id, method: request.method, route: request.routeOptions.url, status: reply.statusCode, ms: Math.round(reply.elapsedTime * 100) / 100 }, 'request');
  });
  const openapi = openApiDocument(app);
  fastify.get('/openapi.json', async () => openapi);
  await app.init();
  return app;
};
