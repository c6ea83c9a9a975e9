import { connect, createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { frame, onFrames } from './frames.mjs';
import { commonEnd } from './replica.mjs';

const HOST = '127.0.0.1';
const PAGE = 500;
const AGAIN_MS = 50;

/** The follower's side: accepts rows of the leader that it last promised to follow. `follows` is false on a leader. */
export const startReplicaServer = async (replica, follows) => {
  const answerTo = ({ epoch, truncate, rows, epochs }) => {
    if (epoch < replica.promised || !follows()) return { refused: true };
    if (epoch > replica.promised) replica.promise(epoch);
    if (truncate !== undefined) replica.truncate(truncate);
    if (rows !== undefined) replica.append(rows, epochs);
    return { end: replica.end, epochs: replica.epochs };
  };
  const server = createServer((socket) => {
    socket.setNoDelay(true).on('error', () => {});
    onFrames(socket, (request) => socket.write(frame(answerTo(request))));
  });
  await new Promise((listening) => server.listen(0, HOST, listening));
  return server.address().port;
};

/** The leader's side: sends each follower the rows that it lacks. */
export class Replication {
  #replica;
  #epoch;
  #onDeposed;
  #acknowledged = new Map();
  #waiting = [];
  #wake = [];

  /** `onDeposed` is called when a follower has promised to follow a newer leader. */
  constructor(replica, epoch, onDeposed) {
    this.#replica = replica;
    this.#epoch = epoch;
    this.#onDeposed = onDeposed;
  }

  /** Keeps sending rows to a follower. `port` is read before each connection, since a follower may be restarted. */
  async supply(name, port) {
    for (;;) {
      try {
        await this.#supplyOnce(name, port());
      } catch {
        this.#acknowledged.delete(name);
      }
      await sleep(AGAIN_MS);
    }
  }

  /** Resolves when a follower has everything before `end`: two nodes of three then have it. */
  reached(end) {
    for (const wake of this.#wake.splice(0)) wake();
    if ([...this.#acknowledged.values()].some((its) => its >= end)) return Promise.resolve();
    return new Promise((resolve) => this.#waiting.push({ end, resolve }));
  }

  async #supplyOnce(name, port) {
    const ask = await this.#connect(port);
    const epochs = this.#replica.epochs;
    const theirs = await ask({});
    const truncated = await ask({ truncate: commonEnd({ epochs, end: this.#replica.end }, theirs) });
    const kept = truncated.epochs;
    let { end } = truncated;
    for (;;) {
      const written = new Promise((resolve) => this.#wake.push(resolve));
      const rows = this.#replica.rowsFrom(end, PAGE);
      // Also without rows: a follower that has everything must learn the epoch.
      ({ end } = await ask({ rows, epochs: rows.length < PAGE ? epochs : kept }));
      if (rows.length < PAGE) this.#acknowledge(name, end);
      if (rows.length === 0) await written;
    }
  }

  #acknowledge(name, end) {
    this.#acknowledged.set(name, end);
    const reached = this.#waiting.filter((one) => one.end <= end);
    this.#waiting = this.#waiting.filter((one) => one.end > end);
    for (const { resolve } of reached) resolve();
  }

  async #connect(port) {
    const socket = connect(port, HOST).setNoDelay(true);
    let answered;
    const lost = new Promise((_, reject) => socket.on('error', reject).on('close', () => reject(new Error('closed'))));
    lost.catch(() => {});
    onFrames(socket, (answer) => answered(answer));
    return async (request) => {
      const answer = await Promise.race([
        lost,
        new Promise((resolve) => {
          answered = resolve;
          socket.write(frame({ ...request, epoch: this.#epoch }));
        }),
      ]);
      if (answer.refused) this.#onDeposed();
      return answer;
    };
  }
}
