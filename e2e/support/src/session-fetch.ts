import { checkAnswer } from './described.ts';

/** What a gateway returns on its own when a service is not available. */
const OF_GATEWAY: readonly number[] = [502, 504];

/**
 * A `fetch` that requires every response to be at least as recent as the newest one so far, of any caller. A write of one caller in a
 * test is visible to the next request of another one, even if another process answers. (The typed client does this only for its own
 * requests.) Each response is compared with the platform's OpenAPI description.
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
    // Only API responses: the description contains positions, too, in its examples.
    if (pathname.startsWith('/v1/')) see(/"position":"([0-9]{1,20})"/.exec(text)?.[1]);
    if (!OF_GATEWAY.includes(response.status))
      await checkAnswer(origin, {
        method: init?.method ?? 'GET',
        url: `${pathname}${search}`,
        status: response.status,
        headers: response.headers,
        text,
      });
    return response;
  };
};
