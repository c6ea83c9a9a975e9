/**
 * A `fetch` that asks every answer to be at least as new as the newest one so far, whoever asked for that: what one caller of a
 * test did, another one's next request sees, also when another process answers it. (The typed client does so for itself alone.)
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
    see(/"position":"([0-9]{1,20})"/.exec(await response.clone().text())?.[1]);
    return response;
  };
};
