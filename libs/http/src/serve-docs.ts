import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import fastifyStatic from '@fastify/static';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyReply } from 'fastify';
import { PAGE_HEADERS } from './serve-console.ts';

/** The interactive API reference: Swagger UI with the OpenAPI document of this server. */
export const DOCS = '/docs';
const FILES = ['swagger-ui.css', 'swagger-ui-bundle.js', 'favicon-32x32.png'] as const;
const PACKAGE = dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'));

/** Swagger UI embeds images in its style sheet (`data:`). There are no inline scripts and no external content. */
const HEADERS = {
  ...PAGE_HEADERS,
  'content-security-policy': `${PAGE_HEADERS['content-security-policy']}; img-src 'self' data:`,
  'cache-control': 'no-cache',
};

const PAGE = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <title>Palimpsest: the HTTP API</title>
    <link rel="icon" href="${DOCS}/favicon-32x32.png" />
    <link rel="stylesheet" href="${DOCS}/swagger-ui.css" />
  </head>
  <body>
    <main id="api"></main>
    <script src="${DOCS}/swagger-ui-bundle.js"></script>
    <script src="${DOCS}/start.js"></script>
  </body>
</html>
`;

/** The page keeps API keys only until it is closed, and no external server validates the document. */
const START = `SwaggerUIBundle({
  url: '/openapi.json', dom_id: '#api', deepLinking: true, docExpansion: 'list', defaultModelsExpandDepth: 0, filter: true,
  tryItOutEnabled: true, persistAuthorization: false, queryConfigEnabled: false, validatorUrl: null,
});
`;

const PUBLIC = { config: { policy: { public: true } } } as const;

/** Serves the page and its files. */
export const serveDocs = async (app: NestFastifyApplication): Promise<void> => {
  const fastify = app.getHttpAdapter().getInstance();
  // The console may already have registered `sendFile`.
  if (!fastify.hasReplyDecorator('sendFile')) await app.register(fastifyStatic as never, { root: PACKAGE, serve: false });
  const answer = (reply: FastifyReply, type: string, text: string): FastifyReply =>
    reply.headers(HEADERS).type(`${type}; charset=utf-8`).send(text);
  for (const path of [DOCS, `${DOCS}/`]) fastify.get(path, PUBLIC, (_request, reply) => answer(reply, 'text/html', PAGE));
  fastify.get(`${DOCS}/start.js`, PUBLIC, (_request, reply) => answer(reply, 'text/javascript', START));
  for (const file of FILES)
    fastify.get(`${DOCS}/${file}`, PUBLIC, (_request, reply) => reply.headers(HEADERS).sendFile(file, PACKAGE, { cacheControl: false }));
};
