import { hold } from './described.ts';

/** A gateway’s own answers for a service that is away. */
const OF_GATEWAY: readonly number[] = [502, 504];

/**
 * A `fetch` that asks every answer to be at least as new as the newest one so far, whoever asked for that: what one caller of a
 * test did, another one's next request sees, also when another process answers it. (The typed client does so for itself alone.)
 * Each answer is held against the platform's own description.
 */
export const sessionFetch = (): typeof fetch => {
  let seen = 0n;
  const see = (position: string | null | undefined): void => {
    if (position && BigInt(position) > seen) seen = BigInt(position);
  };
  return async (input, init) => {
    const headers = new Headers(init?.headers);
    if (seen > 0n) headers.set('palimpsest-at-least', String(seen));
    const response = await fetch(input, { ...init, headers });
    see(response.headers.get('palimpsest-position'));
    const text = await response.clone().text();
    const { origin, pathname, search } = new URL(String(input));
    // The description has positions as well: those of its examples.
    if (pathname.startsWith('/v1/')) see(/"position":"([0-9]{1,20})"/.exec(text)?.[1]);
    if (!OF_GATEWAY.includes(response.status)) await hold(origin, { method: init?.method ?? 'GET', url: `${pathname}${search}`, status: response.status, headers: response.headers, text });
    return response;
  };
};
