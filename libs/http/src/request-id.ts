import { SYSTEM } from '@palimpsest/foundation';

/** Maximum number of characters of a request id that a caller sends. */
export const MAX_REQUEST_ID = 100;
export const REQUEST_ID = new RegExp(`^[A-Za-z0-9._-]{1,${MAX_REQUEST_ID}}$`);

/** The request id that the caller sent, or a new one. */
export const requestIdOf = ({ headers }: Readonly<{ headers: Readonly<Record<string, string | string[] | undefined>> }>): string => {
  const given = headers['x-request-id'];
  return typeof given === 'string' && REQUEST_ID.test(given) ? given : SYSTEM.ids.next();
};
