import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import { InvalidValue, type KnowledgeError } from '@palimpsest/knowledge/errors';
import { MisdirectedRequest } from '../problems/http-errors.ts';

/** A registered name, an IPv4 address or an IPv6 address in brackets, with an optional port (RFC 3986, `host`). */
const AUTHORITY = /^(?<name>\[[0-9a-f:.]+\]|[a-z0-9._~!$&'()*+,;=%-]+)(?::\d{0,5})?$/i;
const LOOPBACK_NAMES = ['localhost', '127.0.0.1', '[::1]'];

export type HostRule = Readonly<{
  /** The address that the server listens on. */ host: string;
  /** Host names under which a proxy reaches this server. */ allowedHosts: readonly string[];
}>;

const isLoopback = (host: string): boolean => /^(?:127\.|localhost$|(?:::1|\[::1\])$)/.test(host);

const nameIn = (authority: string): string | undefined => AUTHORITY.exec(authority)?.groups?.['name']?.toLowerCase();

const isAddress = (name: string): boolean => isIP(name.replace(/^\[|\]$/g, '')) !== 0;

/**
 * The error in the host of a request, if any (RFC 9112, 3.2). A web page that rebinds its own name to 127.0.0.1 reaches a loopback
 * listener with that name as `Host`, so a loopback listener accepts only known names. Any other listener accepts every name unless
 * the settings list names; then it also accepts IP addresses, because no name can be rebound to look like one.
 */
export const hostFault = (
  request: IncomingMessage,
  authority: string | undefined,
  { host, allowedHosts }: HostRule,
): KnowledgeError | undefined => {
  const given = request.headersDistinct['host'] ?? [];
  if (given.length > 1) return new InvalidValue('Host', 'one Host header', `${given.length} headers`);
  const [named] = given;
  if (named === undefined && request.httpVersion !== '1.0') return new InvalidValue('Host', 'one Host header', undefined);
  const names = [named, authority].filter((one) => one !== undefined);
  for (const one of names) {
    const name = nameIn(one);
    if (name === undefined) return new InvalidValue('Host', 'a host name or address, with an optional port', one);
    if (allowedHosts.includes(name) || LOOPBACK_NAMES.includes(name)) continue;
    const isOpen = isLoopback(host) ? name === host.toLowerCase() : allowedHosts.length === 0 || isAddress(name);
    if (!isOpen)
      return new MisdirectedRequest(`"${name}" is not a name of this server; an operator can add names with PALIMPSEST_ALLOWED_HOSTS`);
  }
  return undefined;
};
