/** The target of a request in the form that the router expects, and the host in the target, if there is one. */
export type RequestTarget = Readonly<{ url: string; authority?: string }>;

const ABSOLUTE = /^https?:\/\/(?<authority>[^/?#]*)(?<path>\/[^?#]*)?(?<rest>.*)$/is;

/**
 * Clients send a path, proxies may send a complete URL (RFC 9112, 3.2.2). Both identify the same resource; all further code sees the
 * path. Returns undefined for any other target except the `*` of OPTIONS.
 */
export const requestTarget = (raw: string): RequestTarget | undefined => {
  if (raw.startsWith('/') || raw === '*') return { url: raw };
  const { authority, path = '/', rest = '' } = ABSOLUTE.exec(raw)?.groups ?? {};
  if (authority === undefined || authority === '') return undefined;
  return { url: `${path}${rest}`, authority };
};
