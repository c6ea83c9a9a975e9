import { RateLimiterRes, type RateLimiterAbstract } from 'rate-limiter-flexible';
import type { BucketRule, BucketState } from '@palimpsest/knowledge/limits';

/** One limiter of the library for each rule: the rule is fixed when a limiter is created, the key is passed with each call. */
export class Limiters {
  readonly #make: (rule: BucketRule, keyPrefix: string) => RateLimiterAbstract;
  readonly #limiters = new Map<string, RateLimiterAbstract>();

  constructor(make: (rule: BucketRule, keyPrefix: string) => RateLimiterAbstract) {
    this.#make = make;
  }

  /** @throws errors of the store */
  async take(key: string, rule: BucketRule): Promise<BucketState> {
    // The library would treat 0 points as no limit.
    if (rule.limit < 1) return { allowed: false, remaining: 0, resetMs: rule.windowSeconds * 1_000 };
    try {
      return stateOf(await this.#of(rule).consume(key), true);
    } catch (refusal) {
      if (refusal instanceof RateLimiterRes) return stateOf(refusal, false);
      throw refusal;
    }
  }

  #of(rule: BucketRule): RateLimiterAbstract {
    const name = `${rule.limit}/${rule.windowSeconds}`;
    const known = this.#limiters.get(name) ?? this.#make(rule, name);
    this.#limiters.set(name, known);
    return known;
  }
}

const stateOf = ({ remainingPoints, msBeforeNext }: RateLimiterRes, allowed: boolean): BucketState => ({
  allowed,
  remaining: remainingPoints,
  resetMs: Math.max(0, msBeforeNext),
});
