import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import fastifyStatic from '@fastify/static';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyReply } from 'fastify';

/** As `vite build` leaves it; from the source of this file and from what it is compiled to, it is as far. */
const BUILT = fileURLToPath(new URL('../../../../apps/console/dist/', import.meta.url));

/** Where the console's addresses begin: which page it is, its script finds out. `/` is its own, too, for those who ask for HTML. */
export const CONSOLE_PAGES = ['/search', '/documents', '/knowledge-bases', '/events', '/overview', '/dead-letters'] as const;
export const CONSOLE_ASSETS = '/assets/';

/** Nothing from elsewhere, nothing inline, in nobody's frame. */
export const PAGE_HEADERS = {
  'content-security-policy': "default-src 'self'; base-uri 'none'; object-src 'none'; form-action 'self'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy': 'camera=(), geolocation=(), microphone=()',
} as const;

/** Vite writes the digest of a file's contents into its name; what has none may change under it. */
const HASHED = /-[\w-]{8}\.\w+$/;
const PUBLIC = { policy: { public: true } } as const;
const COMPRESSED = /\.(?:br|gz)$/;

/** Answers the pages and files of the web console. False when it is not built: everything else is served all the same. */
export const serveConsole = async (app: NestFastifyApplication, folder = BUILT): Promise<boolean> => {
  if (!existsSync(join(folder, 'index.html'))) return false;
  const setHeaders = (reply: FastifyReply, path: string): void => {
    void reply.headers({ ...PAGE_HEADERS, 'cache-control': HASHED.test(path.replace(COMPRESSED, '')) ? 'public, max-age=31536000, immutable' : 'no-cache' });
  };
  const fastify = app.getHttpAdapter().getInstance();
  // The library makes these routes, and takes no policy for them.
  fastify.addHook('onRoute', (route) => {
    if (route.url.startsWith(CONSOLE_ASSETS)) route.config = { ...route.config, policy: { ...route.config?.policy, public: true } };
  });
  await app.register(fastifyStatic as never, { root: join(folder, 'assets'), prefix: CONSOLE_ASSETS, preCompressed: true, index: false, cacheControl: false, setHeaders });
  const page = (reply: FastifyReply): FastifyReply => reply.sendFile('index.html', folder);
  for (const path of CONSOLE_PAGES) for (const each of [path, `${path}/*`]) fastify.get(each, { config: PUBLIC }, (_request, reply) => page(reply));
  // Programs get another answer from the root, as ever.
  fastify.addHook('onRequest', async ({ method, url, headers }, reply) => {
    if (method !== 'GET' || !/^\/(?:\?|$)/.test(url)) return undefined;
    void reply.header('vary', 'accept');
    return asksForHtml(headers.accept) ? page(reply) : undefined;
  });
  return true;
};

/** Browsers name it; curl and clients ask for anything, or for JSON. */
const asksForHtml = (accept: string | undefined): boolean => /\btext\/html\b/.test(accept ?? '');
