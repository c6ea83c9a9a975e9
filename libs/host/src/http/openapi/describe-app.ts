import type { DynamicModule } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import type { OpenAPIObject } from '@nestjs/swagger';
import { openApiDocument } from './openapi-document.ts';

/** A placeholder for a dependency that modules only store while they are assembled. Every call of a method throws. */
export const unusable = <T>(name: string): T =>
  new Proxy({}, {
    get: (_, member) => {
      if (member === 'then') return undefined;
      return () => {
        throw new Error(`${name}.${String(member)} was called on a placeholder`);
      };
    },
  }) as T;

/** The OpenAPI document of a module that is assembled only for this purpose, on placeholders of its ports. */
export const describeApp = async (module: DynamicModule): Promise<OpenAPIObject> => {
  const app = await NestFactory.create(module, new FastifyAdapter(), { logger: false, abortOnError: false });
  return openApiDocument(app);
};
