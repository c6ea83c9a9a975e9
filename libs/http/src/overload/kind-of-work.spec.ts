import { kindOfWork } from './kind-of-work.ts';

describe('the kind of work of a request', () => {
  it.each([
    ['POST', { work: 'search' }, 'search'],
    ['POST', {}, 'write'],
    ['PUT', {}, 'write'],
    ['DELETE', {}, 'write'],
    ['GET', {}, 'read'],
    ['HEAD', { public: true }, 'read'],
    ['GET', { work: 'none' }, undefined],
    ['POST', { work: 'none' }, undefined],
  ] as const)('%s on a route with the policy %j is %s', (method, policy, expected) => expect(kindOfWork(method, policy)).toBe(expected));
});
