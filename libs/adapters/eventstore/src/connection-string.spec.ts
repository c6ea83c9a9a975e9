import { InvalidValue } from '@palimpsest/knowledge/errors';
import { clientConnectionString } from './connection-string.ts';

describe('clientConnectionString', () => {
  it("turns KurrentDB's scheme into the client's, and keeps credentials, hosts and settings", () => {
    expect(clientConnectionString('kurrentdb://ann:pw@one:2113,two:2113?tls=true&nodePreference=leader', 0)).toBe(
      'esdb://ann:pw@one:2113,two:2113?tls=true&nodePreference=leader&keepAliveInterval=10000&keepAliveTimeout=3000&gossipTimeout=1',
    );
    expect(clientConnectionString('kurrentdb+discover://cluster/', 0)).toMatch(/^esdb\+discover:\/\/cluster\?/);
  });

  it('keeps a given keepalive, differs for each connection, and removes throwOnAppendFailure', () => {
    const given = 'esdb://host?KeepAliveInterval=20000&keepAliveTimeout=5000&throwOnAppendFailure=false';
    expect(clientConnectionString(given, 7)).toBe('esdb://host?KeepAliveInterval=20000&keepAliveTimeout=5007&gossipTimeout=1');
    expect(clientConnectionString('esdb://host?keepAliveTimeout=-1', 7)).toContain('keepAliveTimeout=-1&');
  });

  it('leaves out a failed node if two others remain', () => {
    const hosts = (raw: string) => /\/\/([^?]*)/.exec(clientConnectionString(raw, 1, 'two:2113'))?.[1];
    expect(hosts('esdb://ann:pw@one:2113,two:2113,three:2113?tls=true')).toBe('ann:pw@one:2113,three:2113');
    for (const kept of ['one:2113,two:2113', 'two:2113', 'one:1,three:3,four:4']) expect(hosts(`esdb://${kept}`)).toBe(kept);
  });

  it('refuses other strings', () => {
    for (const wrong of ['', 'esdb://', 'http://host', undefined as unknown as string])
      expect(() => clientConnectionString(wrong, 0)).toThrow(InvalidValue);
  });
});
