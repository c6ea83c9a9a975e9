/** The last time when the read models had caught up with the log; initially, the start of the process. */
export class CaughtUp {
  #at = performance.now();

  now(): void {
    this.#at = performance.now();
  }

  secondsAgo(): number {
    return (performance.now() - this.#at) / 1_000;
  }
}
