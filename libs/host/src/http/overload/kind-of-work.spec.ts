import { kindOfWork } from './kind-of-work.ts';

describe('what a request costs most of', () => {
  it.each([
    ['POST', '/v1/search', 'search'],
    ['POST', '/v1/context?x=1', 'search'],
    ['POST', '/%761/search', 'search'],
    ['POST', '/v1/documents', 'write'],
    ['PUT', '/v1/documents/abc', 'write'],
    ['DELETE', '/v1/documents/abc', 'write'],
    ['GET', '/v1/documents', 'read'],
    ['GET', '/', 'read'],
    ['GET', '/%E0%A4%A', 'read'],
    ['GET', '/v1/documents/live?x=1', undefined],
    ['GET', '/health/live', undefined],
    ['GET', '/health/ready', undefined],
    ['GET', '/metrics', undefined],
    ['POST', '/v1/search/live', 'write'],
  ])('%s %s is %s', (method, url, expected) => expect(kindOfWork(method, url)).toBe(expected));
});
