import { setTimeout as sleep } from 'node:timers/promises';
import { ANSWERS, batchErrors } from './batch-errors.mjs';
import { STATUSES } from './call-statuses.mjs';
import { fail, status } from './protocol.mjs';

const SETTINGS = [
  'delayMs',
  'failBefore',
  'failAfter',
  'unavailableMs',
  'notLeaderMs',
  'answer',
  'end',
  'dropSubscriptions',
  'dropConnections',
];
const NONE = { times: 0 };

/** @throws Error when `name` is not one of `known` */
const requested = ({ name, times = 1, stored = false, only }, known) => {
  if (known[name] === undefined) throw new Error(`unknown answer ${name}; expected one of ${Object.keys(known).join(', ')}`);
  return { make: known[name], times, stored, only };
};

/** 'reads', 'subscriptions', or undefined for other calls. */
const kindOf = (call) => {
  const options = call.request?.getOptions?.();
  if (typeof options?.hasSubscription !== 'function') return undefined;
  return options.hasSubscription() ? 'subscriptions' : 'reads';
};

/** The faults that a test requested with POST /faults; all are off by default. */
export class Faults {
  #sockets = new Set();
  #calls = new Set();
  #endpoint;
  #delayMs = 0;
  #failBefore = 0;
  #failAfter = 0;
  #unavailableUntil = 0;
  #notLeaderUntil = 0;
  #answer = NONE;
  #end = NONE;

  /** @param {() => { host: string, port: number }} endpoint the leader that "not leader" names: this server */
  constructor(endpoint) {
    this.#endpoint = endpoint;
  }

  /**
   * @param wish delayMs: delay of every answer from now on; failBefore, failAfter: how many of the next appends end in
   * a reset of all connections, before or after they are stored; unavailableMs, notLeaderMs: how long all calls are refused;
   * answer: { name, times, stored }: the answer to the next appends, stored or not; end: { name, times, only }: how the
   * next reads and subscriptions end (`only`: 'reads' or 'subscriptions'), or the next calls for batch appends (`only`: 'appends');
   * dropSubscriptions: ends open reads and subscriptions with UNAVAILABLE; dropConnections: resets all connections
   */
  set(wish) {
    const unknown = Object.keys(wish).filter((name) => !SETTINGS.includes(name));
    if (unknown.length > 0) throw new Error(`unknown faults: ${unknown.join(', ')}; expected ${SETTINGS.join(', ')}`);
    this.#delayMs = wish.delayMs ?? this.#delayMs;
    this.#failBefore = wish.failBefore ?? this.#failBefore;
    this.#failAfter = wish.failAfter ?? this.#failAfter;
    if (wish.unavailableMs !== undefined) this.#unavailableUntil = Date.now() + wish.unavailableMs;
    if (wish.notLeaderMs !== undefined) this.#notLeaderUntil = Date.now() + wish.notLeaderMs;
    if (wish.answer) this.#answer = requested(wish.answer, ANSWERS);
    if (wish.end) this.#end = requested(wish.end, STATUSES);
    if (wish.dropSubscriptions || wish.unavailableMs) this.#dropCalls();
    if (wish.dropConnections) this.#reset();
  }

  connected(socket) {
    this.#sockets.add(socket);
    socket.once('close', () => this.#sockets.delete(socket));
    socket.on('error', () => {}); // the other side handles a reset
  }

  /** Every call passes here first; rejects with the status in which it must end. A batch append is accepted and answered in-band. */
  async enter(call, { batch = false } = {}) {
    this.#refuse(call, batch);
    this.#endAsWished(batch ? 'appends' : kindOf(call));
    this.#calls.add(call);
    const gone = () => this.#calls.delete(call);
    for (const end of ['close', 'cancelled', 'error', 'finish']) call.once?.(end, gone);
    if (this.#delayMs > 0) await sleep(this.#delayMs);
  }

  /** Resolves to the requested answer for a batch append, which replaces its result. */
  async beforeAppend(call) {
    this.#refuse(call, true);
    if (Date.now() < this.#unavailableUntil) return { error: batchErrors.notHandled('Server Is Not Ready'), stored: false };
    if (this.#failBefore > 0) {
      this.#failBefore -= 1;
      throw this.#reset();
    }
    if (this.#answer.times <= 0) return undefined;
    this.#answer.times -= 1;
    return { error: this.#answer.make(), stored: this.#answer.stored };
  }

  async afterAppend() {
    if (this.#delayMs > 0) await sleep(this.#delayMs);
    if (this.#failAfter > 0) {
      this.#failAfter -= 1;
      throw this.#reset();
    }
  }

  #endAsWished(kind) {
    const kinds = this.#end.only === undefined ? ['reads', 'subscriptions'] : [this.#end.only];
    if (this.#end.times <= 0 || !kinds.includes(kind)) return;
    this.#end.times -= 1;
    throw this.#end.make();
  }

  #refuse(call, batch) {
    if (!batch && Date.now() < this.#unavailableUntil) throw fail(status.UNAVAILABLE, 'Server Is Not Ready');
    if (Date.now() < this.#notLeaderUntil && call.metadata.get('requires-leader').length > 0) {
      const { host, port } = this.#endpoint();
      const trailers = { exception: 'not-leader', 'leader-endpoint-host': host, 'leader-endpoint-port': String(port) };
      throw fail(status.NOT_FOUND, 'Leader info available', trailers);
    }
  }

  #dropCalls() {
    for (const call of this.#calls)
      call.emit('error', fail(status.UNAVAILABLE, 'Operation timed out: Consumer too slow to handle event while live'));
    this.#calls.clear();
  }

  #reset() {
    for (const socket of this.#sockets) socket.resetAndDestroy();
    return fail(status.UNAVAILABLE, 'connection reset on request');
  }
}
