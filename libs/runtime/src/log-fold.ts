import type { Journal } from '@palimpsest/contracts';
import type { DomainEvent, Fact, Position } from '@palimpsest/knowledge';

/** Keeps something in memory as the log has it: every fact of some types, from some place on, for as long as the process lives. */
export class LogFold {
  readonly #journal: Journal;
  readonly #types: readonly DomainEvent['type'][];
  readonly #apply: (fact: Fact<DomainEvent>) => void;
  readonly #stop = new AbortController();
  #position: Position | undefined;
  #following: Promise<void> | undefined;
  #arrived: (() => void)[] = [];

  constructor(journal: Journal, types: readonly DomainEvent['type'][], apply: (fact: Fact<DomainEvent>) => void) {
    this.#journal = journal;
    this.#types = types;
    this.#apply = apply;
  }

  /** Applies everything after `after` that is on the log now, then keeps up. @throws what keeps it from that: a damaged log, say */
  async start(after: Position, onError: (error: unknown) => void): Promise<void> {
    const head = await this.#journal.log.head();
    const following = this.#follow(after);
    let started = false;
    this.#following = following.catch((error: unknown) => (started ? onError(error) : undefined));
    await Promise.race([this.reached(head), following]);
    started = true;
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#following;
  }

  async reached(position: Position): Promise<void> {
    while ((this.#position ?? -1n) < position) await new Promise<void>((resolve) => this.#arrived.push(resolve));
  }

  async #follow(after: Position): Promise<void> {
    for await (const { facts, upTo } of this.#journal.follow({ after, signal: this.#stop.signal, types: this.#types })) {
      for (const fact of facts) this.#apply(fact);
      this.#position = upTo;
      for (const arrived of this.#arrived.splice(0)) arrived();
    }
  }
}
