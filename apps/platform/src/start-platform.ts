import 'reflect-metadata';
import { rm, writeFile } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { randomUUID } from 'node:crypto';
import multipart from '@fastify/multipart';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { DocumentBuilder, SwaggerModule } from '@nestjs/swagger';
import type { Logger } from 'pino';
import { SubmitDocument, KnowledgeBases } from '@palimpsest/ingestion';
import { START } from '@palimpsest/knowledge';
import { openEmbeddedAdapters } from './adapters.ts';
import type { PlatformConfig } from './config.ts';
import { openDataFolder } from './data-folder.ts';
import { ensureLocalKey } from './local-key.ts';
import { PlatformModule } from './platform.module.ts';
import { loadSamples } from './samples.ts';
import { VERSION } from './version.ts';

export type RunningPlatform = Readonly<{ url: string; key: string; samples: Promise<number>; stop: () => Promise<void> }>;

const REQUEST_ID = /^[A-Za-z0-9._-]{1,100}$/;

/** Opens the folder, starts the features, listens. Whatever goes wrong on the way closes what was opened. */
export const startPlatform = async (config: PlatformConfig, log: Logger): Promise<RunningPlatform> => {
  const folder = await openDataFolder(config.data);
  const onFault = (error: unknown, about: string): void => log.error({ err: error, about }, 'fault');
  const adapters = await openEmbeddedAdapters(config, folder, onFault);
  let app: NestFastifyApplication | undefined;
  try {
    await adapters.apiKeys.start(START, (error) => onFault(error, 'following API keys'));
    app = await createApp(config, PlatformModule.on(adapters, (error, request) => log.error({ err: error, ...request }, 'request failed')), log);
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
      await running.close();
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

const createApp = async (config: PlatformConfig, module: Parameters<typeof NestFactory.create>[0], log: Logger): Promise<NestFastifyApplication> => {
  const adapter = new FastifyAdapter({
    bodyLimit: config.maxDocumentBytes + 1024 * 1024,
    genReqId: (request: { headers: Record<string, string | string[] | undefined> }) => {
      const given = request.headers['x-request-id'];
      return typeof given === 'string' && REQUEST_ID.test(given) ? given : randomUUID();
    },
    forceCloseConnections: 'idle',
  });
  const app = await NestFactory.create<NestFastifyApplication>(module, adapter, { logger: false, abortOnError: false });
  await app.register(multipart as never, { limits: { fileSize: config.maxDocumentBytes, files: 1_000, fields: 20, fieldSize: 64 * 1024 }, preservePath: true });
  const fastify = app.getHttpAdapter().getInstance();
  fastify.addHook('onSend', async (request, reply) => void reply.header('x-request-id', request.id));
  // Route, status and time; never a body, a query or a key.
  fastify.addHook('onResponse', async (request, reply) => {
    log.info({ id: request.id, method: request.method, route: request.routeOptions.url, status: reply.statusCode, ms: Math.round(reply.elapsedTime * 100) / 100 }, 'request');
  });
  const document = new DocumentBuilder().setTitle('Palimpsest').setVersion(VERSION).addBearerAuth().addSecurityRequirements('bearer').build();
  const openapi = SwaggerModule.createDocument(app, document);
  fastify.get('/openapi.json', async () => openapi);
  await app.init();
  return app;
};
