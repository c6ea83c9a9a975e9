import { InvalidValue, Unavailable } from '@palimpsest/knowledge/errors';
import { idleSignal, type IdleSignal } from './idle-signal.ts';

export type HubOptions = Readonly<{
  /** Address of the hub or of a mirror with the same API. */
  endpoint?: string;
  /** Sent to the endpoint only, never to an address that it redirects to. */
  token?: string;
  /** A connection that sends nothing for this long is closed. */
  idleMs?: number;
}>;

/** A response after all redirects. `fromHub` looks at the headers of the endpoint's own responses only, the first one first. */
export type HubResponse = Readonly<{
  response: Response;
  fromHub: (header: string) => string | undefined;
  idle: IdleSignal;
}>;

/** Requests to a hub. The path is relative to the endpoint and encoded. */
export type Hub = Readonly<{
  endpoint: string;
  get: (path: string, options: { headers?: Readonly<Record<string, string>>; signal: AbortSignal | undefined }) => Promise<HubResponse>;
}>;

const DEFAULT_ENDPOINT = 'https://huggingface.co';
const DEFAULT_IDLE_MS = 60_000;
const MAX_REDIRECTS = 6;
const REDIRECTS = [301, 302, 303, 307, 308];

/** @throws InvalidValue if the endpoint is not an address, or would receive the token in the clear */
export const openHub = ({ endpoint = DEFAULT_ENDPOINT, token, idleMs = DEFAULT_IDLE_MS }: HubOptions = {}): Hub => {
  const base = URL.parse(endpoint.endsWith('/') ? endpoint : `${endpoint}/`);
  if (base === null || !/^https?:$/.test(base.protocol) || base.username !== '' || base.password !== '' || base.search !== '')
    throw new InvalidValue('hub', 'an http or https address without a password', endpoint.replace(/\/\/[^/]*@/, '//***@'));
  if (token !== undefined && base.protocol === 'http:' && !isLoopback(base.hostname))
    throw new InvalidValue('hub', 'an https address, because a token would be sent', endpoint);
  if (token !== undefined && !/^[\x21-\x7e]{1,500}$/.test(token)) throw new InvalidValue('HF_TOKEN', 'a token without spaces', undefined);

  return {
    endpoint: base.href.replace(/\/$/, ''),
    get: async (path, { headers = {}, signal }) => {
      const hops: Headers[] = [];
      let url = new URL(path, base);
      const idle = idleSignal(idleMs, url.host, signal);
      try {
        for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects++) {
          const isHub = url.origin === base.origin;
          const credentials = isHub && token !== undefined ? { authorization: `Bearer ${token}` } : {};
          // Sizes and digests are those of the bytes as stored, so no compression.
          const sent = { 'user-agent': 'palimpsest', 'accept-encoding': 'identity', ...headers, ...credentials };
          const response = await fetch(url, { headers: sent, redirect: 'manual', signal: idle.signal }).catch((error: unknown) => {
            throw networkError(url, error, idle.signal);
          });
          idle.touch();
          if (isHub) hops.push(response.headers);
          if (!REDIRECTS.includes(response.status))
            return { response, idle, fromHub: (name) => hops.map((hop) => hop.get(name)).find((value) => value !== null) ?? undefined };
          await response.body?.cancel();
          url = redirected(url, response.headers.get('location'));
        }
      } catch (error) {
        idle.stop();
        throw error;
      }
      idle.stop();
      throw new Unavailable(`${base.host} redirects in a circle`);
    },
  };
};

/** @throws Unavailable for a redirect that leaves https, or has no address */
const redirected = (from: URL, location: string | null): URL => {
  const to = location === null ? null : URL.parse(location, from.href);
  if (to === null || !/^https?:$/.test(to.protocol)) throw new Unavailable(`${from.host} redirects to no valid address`);
  if (from.protocol === 'https:' && to.protocol !== 'https:') throw new Unavailable(`${from.host} redirects to an address without https`);
  return to;
};

/** Connections of `fetch` fail with a `TypeError` whose cause says why. */
export const networkError = (url: URL, error: unknown, signal: AbortSignal): unknown => {
  if (signal.aborted) return signal.reason;
  const { code, message } = ((error as Error).cause ?? error) as NodeJS.ErrnoException;
  return new Unavailable(`${url.host} cannot be reached (${code ?? message})`, { cause: error });
};

const isLoopback = (host: string): boolean => host === 'localhost' || host === '[::1]' || /^127\./.test(host);
