/** The target of a request as the router takes it, and the host that it names itself, if it does. */
export type RequestTarget = Readonly<{ url: string; authority?: string }>;

const ABSOLUTE = /^https?:\/\/(?<authority>[^/?#]*)(?<path>\/[^?#]*)?(?<rest>.*)$/is;

/**
 * Clients name a path, proxies may name a whole URL (RFC 9112, 3.2.2): both are the same resource, and everything behind here sees the path.
 * Undefined for what is neither, nor the `*` of OPTIONS.
 */
export const requestTarget = (raw: string): RequestTarget | undefined => {
  if (raw.startsWith('/') || raw === '*') return { url: raw };
  const { authority, path = '/', rest = '' } = ABSOLUTE.exec(raw)?.groups ?? {};
  if (authority === undefined || authority === '') return undefined;
  return { url: `${path}${rest}`, authority };
};
