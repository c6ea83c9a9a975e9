import { addressOf, forcedBecause, targetsOf } from './audited-request.ts';

describe('an audited request', () => {
  it('holds the ids in the request, and no text', () => {
    const request = {
      params: { id: 'd1' },
      query: { scope: 'team:red', q: 'secret' },
      body: { query: 'secret words', knowledgeBases: ['kb', 'two words'], text: 'secret' },
    };
    expect(targetsOf(request)).toEqual(['d1', 'team:red', 'kb', '(not an id)']);
  });

  it('limits the number and length of ids', () => {
    expect(targetsOf({ params: {}, query: {}, body: { scopes: Array.from({ length: 500 }, (_, i) => `team:${i}`) } })).toHaveLength(20);
    expect(targetsOf({ params: { id: 'x'.repeat(1_000) }, query: {}, body: null })).toEqual(['(not an id)']);
  });

  it('holds the reason of a forced step, if the request was accepted', () => {
    expect(forcedBecause({ force: true, reason: 'it is time' }, 200)).toBe('it is time');
    expect(forcedBecause({ force: true, reason: 'x'.repeat(1_000) }, 200)).toHaveLength(500);
    for (const body of [undefined, null, {}, { force: false, reason: 'secret' }, { reason: 'secret' }, { force: true, reason: 1 }])
      expect(forcedBecause(body, 200)).toBeUndefined();
    expect(forcedBecause({ force: true, reason: 'secret' }, 400)).toBeUndefined();
  });

  it.each([
    [0, '198.51.100.7, 203.0.113.9', '192.0.2.1'],
    [1, '198.51.100.7, 203.0.113.9', '203.0.113.9'],
    [2, '198.51.100.7, 203.0.113.9', '198.51.100.7'],
    [3, '198.51.100.7, 203.0.113.9', '192.0.2.1'],
    [1, 'no address', '192.0.2.1'],
  ])('holds the address that %i trusted proxies saw (%s)', (proxies, forwarded, address) => {
    expect(addressOf({ headers: { 'x-forwarded-for': forwarded }, socket: { remoteAddress: '::ffff:192.0.2.1' } }, proxies)).toBe(address);
  });
});
