import { consoleAddress } from './console-address.ts';

const AT_HOME = {
  url: 'http://127.0.0.1:7330',
  host: '127.0.0.1',
  key: 'plk_secret',
  keyFile: '/data/keys/local-api-key',
  isTerminal: true,
};

describe('the address of the console', () => {
  it('contains the local key on a terminal', () => {
    expect(consoleAddress(AT_HOME)).toBe('Open http://127.0.0.1:7330/#key=plk_secret');
  });

  it('names the key file in any other output', () => {
    expect(consoleAddress({ ...AT_HOME, isTerminal: false })).toBe(
      'Open http://127.0.0.1:7330/ and sign in with the key that is stored in /data/keys/local-api-key',
    );
  });

  it.each(['0.0.0.0', '::', '10.0.0.7', 'example.org'])('shows no key where other machines can reach the port (%s)', (host) => {
    expect(consoleAddress({ ...AT_HOME, host })).not.toContain('plk_');
  });
});
