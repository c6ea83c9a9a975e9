import type { DynamicModule } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import type { OpenAPIObject } from '@nestjs/swagger';
import { openApiDocument } from './openapi-document.ts';

/** Modules only keep what they are given while they are put together; whoever calls it is told. */
export const unusable = <T>(name: string): T =>
  new Proxy({}, {
    get: (_, member) => {
      if (member === 'then') return undefined;
      return () => {
        throw new Error(`${name}.${String(member)} was called`);
      };
    },
  }) as T;

/** The OpenAPI document of a module that is put together for that only, on ports that nobody may use. */
export const describeApp = async (module: DynamicModule): Promise<OpenAPIObject> => {
  const app = await NestFactory.create(module, new FastifyAdapter(), { logger: false, abortOnError: false });
  return openApiDocument(app);
};
