import { NestFactory } from '@nestjs/core';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import type { OpenAPIObject } from '@nestjs/swagger';
import type { ServedPlatform } from '@palimpsest/runtime';
import { httpModule } from '../http-module.ts';
import { openApiDocument } from './openapi-document.ts';

/** A placeholder for a dependency that features only store while they are assembled. Every call of a method throws. */
export const unusable = <T>(name: string): T =>
  new Proxy({}, {
    get: (_, member) => {
      if (member === 'then') return undefined;
      return () => {
        throw new Error(`${name}.${String(member)} was called on a placeholder`);
      };
    },
  }) as T;

/** The OpenAPI document of a platform. It serves no request, so its ports may be placeholders. */
export const describeApp = async (platform: ServedPlatform): Promise<OpenAPIObject> => {
  const app = await NestFactory.create(httpModule(platform, () => undefined), new FastifyAdapter(), { logger: false, abortOnError: false });
  return openApiDocument(app);
};
