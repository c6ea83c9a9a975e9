import { rateLimitHeaders } from './rate-limits.ts';

describe('the rate-limit headers', () => {
  it('name each window, the remaining requests, and the seconds until it resets', () =>
    expect(
      rateLimitHeaders([
        { policy: 'search-key', limit: 2, windowSeconds: 1, remaining: 0, resetSeconds: 1 },
        { policy: 'search', limit: 10, windowSeconds: 5, remaining: 7, resetSeconds: 4 },
      ]),
    ).toEqual({ 'ratelimit-policy': '"search-key";q=2;w=1, "search";q=10;w=5', ratelimit: '"search-key";r=0;t=1, "search";r=7;t=4' }));
});
