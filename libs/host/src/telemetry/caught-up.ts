/** When the read models last had everything that was on the log; at first, when the process began. */
export class CaughtUp {
  #at = performance.now();

  now(): void {
    this.#at = performance.now();
  }

  secondsAgo(): number {
    return (performance.now() - this.#at) / 1_000;
  }
}
