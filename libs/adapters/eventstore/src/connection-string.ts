import { InvalidValue } from '@palimpsest/knowledge/errors';

/**
 * The keepalive (ms) detects a frozen server while no call waits for it. A node that does not answer gossip within the timeout (s)
 * is skipped: a frozen node must not delay the search for the leader.
 */
const DEFAULTS = { keepAliveInterval: '10000', keepAliveTimeout: '3000', gossipTimeout: '1' };

/**
 * The connection string in the client's format: `kurrentdb://` becomes `esdb://`, and a frozen server is detected within 13 s unless
 * the string says otherwise.
 *
 * `generation` makes each connection different by a millisecond of its keepalive. gRPC lets connections with equal settings
 * share their backoff (up to 2 minutes) after failures, and a new connection must not inherit the backoff of the one before.
 *
 * `avoid`: the `host:port` of a failed node. It is left out if two others remain: the client asks the nodes in
 * random order, and with one node it would not look for the leader.
 * @throws InvalidValue
 */
export const clientConnectionString = (raw: string, generation: number, avoid?: string): string => {
  const [, scheme, rest] = /^(?:esdb|kurrent|kurrentdb|kdb)(\+discover)?:\/\/(.+)$/.exec(typeof raw === 'string' ? raw.trim() : '') ?? [];
  // The error does not quote the string: it may contain a password.
  if (rest === undefined)
    throw new InvalidValue('connectionString', 'esdb://, esdb+discover:// or kurrentdb:// with a host', 'something else');
  const [hosts = '', query = ''] = rest.split('?', 2);
  const given = new Map(
    query
      .split('&')
      .filter((part) => part !== '')
      .map((part) => pair(part)),
  );
  const has = (name: string): string | undefined => [...given.keys()].find((key) => key.toLowerCase() === name.toLowerCase());
  for (const [name, value] of Object.entries(DEFAULTS)) if (has(name) === undefined) given.set(name, value);
  // Refusals must arrive as errors. With `false`, the client returns wrong revisions instead.
  given.delete(has('throwOnAppendFailure') ?? '');
  const timeout = has('keepAliveTimeout') ?? 'keepAliveTimeout';
  const milliseconds = Number(given.get(timeout));
  if (milliseconds > 0) given.set(timeout, String(milliseconds + (generation % 1000)));
  return `esdb${scheme ?? ''}://${without(hosts.replace(/\/+$/, ''), avoid)}?${[...given].map(([name, value]) => `${name}=${value}`).join('&')}`;
};

const without = (hosts: string, avoid: string | undefined): string => {
  const [, user = '', list = ''] = /^(.*@)?(.*)$/.exec(hosts) ?? [];
  const rest = list.split(',').filter((host) => host !== avoid);
  return rest.length < 2 ? hosts : user + rest.join(',');
};

const pair = (part: string): [string, string] => {
  const [name = '', value = ''] = part.split('=', 2);
  return [name, value];
};
