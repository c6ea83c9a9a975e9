import { SYSTEM } from '@palimpsest/foundation';

const REQUEST_ID = /^[A-Za-z0-9._-]{1,100}$/;

/** The request id that the caller sent, or a new one. */
export const requestIdOf = ({ headers }: Readonly<{ headers: Readonly<Record<string, string | string[] | undefined>> }>): string => {
  const given = headers['x-request-id'];
  return typeof given === 'string' && REQUEST_ID.test(given) ? given : SYSTEM.ids.next();
};
