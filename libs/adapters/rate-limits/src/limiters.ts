import { RateLimiterRes, type RateLimiterAbstract } from 'rate-limiter-flexible';
import type { BucketRule, BucketState } from '@palimpsest/knowledge';

/** One limiter of the library for each rule: a rule is fixed when its limiter is made, keys are told at each call. */
export class Limiters {
  readonly #make: (rule: BucketRule, keyPrefix: string) => RateLimiterAbstract;
  readonly #made = new Map<string, RateLimiterAbstract>();

  constructor(make: (rule: BucketRule, keyPrefix: string) => RateLimiterAbstract) {
    this.#make = make;
  }

  /** @throws whatever the store fails with */
  async take(key: string, rule: BucketRule): Promise<BucketState> {
    // The library takes 0 points for none.
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
    const known = this.#made.get(name) ?? this.#make(rule, name);
    this.#made.set(name, known);
    return known;
  }
}

const stateOf = ({ remainingPoints, msBeforeNext }: RateLimiterRes, allowed: boolean): BucketState => ({ allowed, remaining: remainingPoints, resetMs: Math.max(0, msBeforeNext) });
