import { SYSTEM } from '@palimpsest/foundation';

/** The last time when the read models had caught up with the log; initially, the start of the process. */
export class CaughtUp {
  #at = SYSTEM.clock.elapsed();

  now(): void {
    this.#at = SYSTEM.clock.elapsed();
  }

  secondsAgo(): number {
    return (SYSTEM.clock.elapsed() - this.#at) / 1_000;
  }
}
