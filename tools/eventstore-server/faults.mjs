import { setTimeout as sleep } from 'node:timers/promises';
import { fail, status } from './protocol.mjs';

const SETTINGS = ['delayMs', 'failBefore', 'failAfter', 'unavailableMs', 'notLeaderMs', 'dropSubscriptions', 'dropConnections'];

/** The faults that a test asked for by POST /faults; each is off until it is asked for. */
export class Faults {
  #sockets = new Set();
  #calls = new Set();
  #endpoint;
  #delayMs = 0;
  #failBefore = 0;
  #failAfter = 0;
  #unavailableUntil = 0;
  #notLeaderUntil = 0;

  /** @param {() => { host: string, port: number }} endpoint what "not leader" names as the leader: this server */
  constructor(endpoint) {
    this.#endpoint = endpoint;
  }

  /**
   * @param wish delayMs: every answer from now on comes so much later; failBefore, failAfter: how many of the next appends end in
   * a reset of all connections, before or after they are stored; unavailableMs, notLeaderMs: how long all calls are refused;
   * dropSubscriptions: ends open reads and subscriptions with UNAVAILABLE; dropConnections: resets all connections
   */
  set(wish) {
    const unknown = Object.keys(wish).filter((name) => !SETTINGS.includes(name));
    if (unknown.length > 0) throw new Error(`unknown faults: ${unknown.join(', ')}; there are ${SETTINGS.join(', ')}`);
    this.#delayMs = wish.delayMs ?? this.#delayMs;
    this.#failBefore = wish.failBefore ?? this.#failBefore;
    this.#failAfter = wish.failAfter ?? this.#failAfter;
    if (wish.unavailableMs !== undefined) this.#unavailableUntil = Date.now() + wish.unavailableMs;
    if (wish.notLeaderMs !== undefined) this.#notLeaderUntil = Date.now() + wish.notLeaderMs;
    if (wish.dropSubscriptions || wish.unavailableMs) this.#dropCalls();
    if (wish.dropConnections) this.#reset();
  }

  connected(socket) {
    this.#sockets.add(socket);
    socket.once('close', () => this.#sockets.delete(socket));
    socket.on('error', () => {}); // a reset is its other side's business
  }

  /** Every call passes here first; rejects with the status that it is to end in. */
  async enter(call) {
    this.#refuse(call);
    this.#calls.add(call);
    const gone = () => this.#calls.delete(call);
    for (const end of ['close', 'cancelled', 'error', 'finish']) call.once?.(end, gone);
    if (this.#delayMs > 0) await sleep(this.#delayMs);
  }

  async beforeAppend(call) {
    this.#refuse(call);
    if (this.#failBefore > 0) {
      this.#failBefore -= 1;
      throw this.#reset();
    }
  }

  async afterAppend() {
    if (this.#delayMs > 0) await sleep(this.#delayMs);
    if (this.#failAfter > 0) {
      this.#failAfter -= 1;
      throw this.#reset();
    }
  }

  #refuse(call) {
    if (Date.now() < this.#unavailableUntil) throw fail(status.UNAVAILABLE, 'Server Is Not Ready');
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
