/** The platform's OpenAPI document, made in this process: the application is put together on ports that nobody may use. */
import { inRoot } from '../setup/workspace.mjs';

/** Modules only keep what they are given while they are put together; whoever calls a port is told. */
const unusable = (name) => new Proxy({}, { get: (_, member) => (member === 'then' ? undefined : () => { throw new Error(`${name}.${String(member)} was called`); }) });

export const openApi = async () => {
  await import('reflect-metadata');
  const { NestFactory } = await import('@nestjs/core');
  const { FastifyAdapter } = await import('@nestjs/platform-fastify');
  const { PORT } = await import(inRoot('libs/runtime/src/index.ts'));
  const { DIGESTS } = await import(inRoot('libs/projections/src/index.ts'));
  const { platformConfig } = await import(inRoot('apps/platform/src/config.ts'));
  const { PlatformModule } = await import(inRoot('apps/platform/src/platform.module.ts'));
  const { openApiDocument } = await import(inRoot('libs/host/src/http/openapi.ts'));
  const bound = new Map([...Object.entries(PORT), ['Digests', DIGESTS]].map(([name, token]) => [token, unusable(name)]));
  bound.set(PORT.Settings, platformConfig({}));
  const module = PlatformModule.on({ bound, apiKeys: unusable('ApiKeys') }, () => undefined);
  const app = await NestFactory.create(module, new FastifyAdapter(), { logger: false, abortOnError: false });
  return openApiDocument(app);
};
