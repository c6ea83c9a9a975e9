import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import fastifyStatic from '@fastify/static';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyReply } from 'fastify';

/** Output of `vite build`. The relative path is the same from this file and from its compiled version. */
const BUILT = fileURLToPath(new URL('../../../apps/console/dist/', import.meta.url));

/** Path prefixes of the console; its script selects the page. For requests that accept HTML, `/` belongs to it, too. */
export const CONSOLE_PAGES = [
  '/search',
  '/documents',
  '/knowledge-bases',
  '/timeline',
  '/replay',
  '/events',
  '/overview',
  '/models',
  '/swaps',
  '/golden-queries',
  '/fleets',
  '/erasure',
  '/dead-letters',
] as const;
export const CONSOLE_ASSETS = '/assets/';

/** No external content, no inline content, no framing. */
export const PAGE_HEADERS = {
  'content-security-policy': "default-src 'self'; base-uri 'none'; object-src 'none'; form-action 'self'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy': 'camera=(), geolocation=(), microphone=()',
} as const;

/** Vite writes a digest of a file's contents into its name. A file without a digest may change under its name. */
const HASHED = /-[\w-]{8}\.\w+$/;
const PUBLIC = { policy: { public: true } } as const;
const COMPRESSED = /\.(?:br|gz)$/;

/** Serves the pages and files of the web console. Returns false if it is not built. */
export const serveConsole = async (app: NestFastifyApplication, folder = BUILT): Promise<boolean> => {
  if (!existsSync(join(folder, 'index.html'))) return false;
  const setHeaders = (reply: FastifyReply, path: string): void => {
    void reply.headers({
      ...PAGE_HEADERS,
      'cache-control': HASHED.test(path.replace(COMPRESSED, '')) ? 'public, max-age=31536000, immutable' : 'no-cache',
    });
  };
  const fastify = app.getHttpAdapter().getInstance();
  // The library creates these routes and offers no way to set their policy.
  fastify.addHook('onRoute', (route) => {
    if (route.url.startsWith(CONSOLE_ASSETS)) route.config = { ...route.config, policy: { ...route.config?.policy, public: true } };
  });
  await app.register(fastifyStatic as never, {
    root: join(folder, 'assets'),
    prefix: CONSOLE_ASSETS,
    preCompressed: true,
    index: false,
    cacheControl: false,
    setHeaders,
  });
  const page = (reply: FastifyReply): FastifyReply => reply.sendFile('index.html', folder);
  for (const path of CONSOLE_PAGES)
    for (const each of [path, `${path}/*`]) fastify.get(each, { config: PUBLIC }, (_request, reply) => page(reply));
  // The root returns JSON to programs.
  fastify.addHook('onRequest', async ({ method, url, headers }, reply) => {
    if (method !== 'GET' || !/^\/(?:\?|$)/.test(url)) return undefined;
    void reply.header('vary', 'accept');
    return asksForHtml(headers.accept) ? page(reply) : undefined;
  });
  return true;
};

/** Browsers accept `text/html` explicitly; curl and other clients accept anything, or JSON. */
const asksForHtml = (accept: string | undefined): boolean => /\btext\/html\b/.test(accept ?? '');
