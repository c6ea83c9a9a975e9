import { fork } from 'node:child_process';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const NAMES = ['one', 'two', 'three'];
const PING_MS = 100;
const FENCE_MS = 2000;

/**
 * Three nodes, one of them the leader. This process watches them, chooses the leader, and restarts nodes that ended; real
 * nodes do this among themselves. It is the only part that never fails.
 */
export class Cluster {
  #options;
  #nodes;
  #leader;
  #epoch = 0;
  #electing = false;
  #stopped = false;
  /** Number of leaders so far. */
  elections = 0;

  /** @param {{ folder: string, lostAfterMs: number, electionMs: number, restartMs: number, version?: string }} options */
  constructor(options) {
    this.#options = options;
    this.#nodes = NAMES.map((name) => ({
      name,
      port: 0,
      replicationPort: 0,
      heardAt: 0,
      child: undefined,
      fenced: undefined,
      ready: false,
    }));
  }

  async start() {
    await Promise.all(this.#nodes.map((node) => this.#spawn(node)));
    void this.#watch();
    while (this.#leader === undefined) await sleep(20);
  }

  get addresses() {
    return this.#nodes.map(({ port }) => `127.0.0.1:${port}`);
  }

  get leader() {
    return this.#leader?.name;
  }

  /** SIGKILL; the node is restarted after a while. */
  killLeader() {
    return this.#disturb((child) => child.kill('SIGKILL'));
  }

  /** SIGSTOP: keeps its connections and answers nothing. */
  freezeLeader(forMs) {
    return this.#disturb((child) => {
      child.kill('SIGSTOP');
      setTimeout(() => child.kill('SIGCONT'), forMs);
    });
  }

  stop() {
    this.#stopped = true;
    for (const { child } of this.#nodes) child?.kill('SIGKILL');
  }

  #disturb(how) {
    const { name, child } = this.#leader ?? {};
    if (child === undefined) throw new Error('there is no leader');
    how(child);
    return name;
  }

  #spawn(node) {
    const { folder, version } = this.#options;
    const child = fork(new URL('./node.mjs', import.meta.url), [join(folder, node.name), node.name, version ?? ''], {
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    });
    Object.assign(node, { child, ready: false, fenced: undefined });
    child.on('error', () => {});
    child.on('exit', (code) => {
      Object.assign(node, { child: undefined, ready: false });
      if (this.#leader === node) this.#lose();
      // A node that exits with 0 was replaced as the leader: its supervisor restarts it immediately.
      if (!this.#stopped) setTimeout(() => this.#stopped || this.#spawn(node), code === 0 ? 0 : this.#options.restartMs);
    });
    return new Promise((resolve) => child.on('message', (message) => this.#receive(node, child, message, resolve)));
  }

  #receive(node, child, message, onReady) {
    if (node.child !== child) return;
    node.heardAt = performance.now();
    if (message.type === 'fenced') node.fenced = message;
    if (message.type === 'leads' && message.epoch === this.#epoch) this.#lead(node);
    if (message.type !== 'ready') return;
    Object.assign(node, { port: message.port, replicationPort: message.replicationPort, ready: true });
    onReady();
    this.#tell();
  }

  #lead(node) {
    this.#leader = node;
    this.#electing = false;
    this.elections += 1;
    this.#tell();
  }

  #lose() {
    this.#leader = undefined;
    this.#tell();
  }

  /** Whether it answered recently. */
  #isAlive(node) {
    return node.ready && performance.now() - node.heardAt < this.#options.lostAfterMs;
  }

  #send(node, message) {
    if (node.child?.connected) node.child.send(message, () => {});
  }

  #tell() {
    const members = this.#nodes.map((node) => ({
      name: node.name,
      port: node.port,
      replicationPort: node.replicationPort,
      alive: node === this.#leader || this.#isAlive(node),
    }));
    for (const node of this.#nodes) this.#send(node, { type: 'view', leader: this.#leader?.name, members });
  }

  async #watch() {
    for (let number = 0; !this.#stopped; number += 1) {
      for (const node of this.#nodes) this.#send(node, { type: 'ping', number });
      await sleep(PING_MS);
      if (this.#leader && !this.#isAlive(this.#leader)) this.#lose();
      if (this.#leader === undefined && !this.#electing) void this.#elect();
    }
  }

  /** Two nodes promise not to follow an older leader; of these, the one with the longest log leads. */
  async #elect() {
    this.#electing = true;
    const epoch = (this.#epoch = Math.max(this.#epoch, Date.now()) + 1);
    await sleep(this.#options.electionMs);
    for (const node of this.#nodes) {
      node.fenced = undefined;
      if (this.#isAlive(node)) this.#send(node, { type: 'fence', epoch });
    }
    const fenced = () => this.#nodes.filter((node) => node.fenced?.epoch === epoch && node.ready);
    for (
      const until = performance.now() + FENCE_MS;
      performance.now() < until && fenced().length < this.#nodes.filter((node) => this.#isAlive(node)).length;
    )
      await sleep(10);
    const [best] = fenced().sort((a, b) => b.fenced.lastEpoch - a.fenced.lastEpoch || b.fenced.end - a.fenced.end);
    if (fenced().length < 2) return void (this.#electing = false);
    this.#send(best, { type: 'lead', epoch });
    // It may fail before it leads; then the next election starts.
    for (const until = performance.now() + 2 * FENCE_MS; performance.now() < until && this.#leader === undefined && best.ready;)
      await sleep(10);
    this.#electing = false;
  }
}

/** `POST /kill-leader`, `POST /freeze-leader` with `{ "forMs": 5000 }`: both return the name of the node. `GET /state`. */
export const startClusterControl = async (cluster) => {
  const routes = {
    'POST /kill-leader': () => ({ node: cluster.killLeader() }),
    'POST /freeze-leader': ({ forMs }) => ({ node: cluster.freezeLeader(forMs) }),
    'GET /state': () => ({ leader: cluster.leader, elections: cluster.elections }),
  };
  const server = createServer(async (request, response) => {
    let text = '';
    for await (const part of request.setEncoding('utf8')) text += part;
    try {
      const route = routes[`${request.method} ${request.url}`];
      if (route === undefined) throw new Error(`expected one of ${Object.keys(routes).join(', ')}`);
      response.setHeader('content-type', 'application/json').end(JSON.stringify(route(JSON.parse(text || '{}'))));
    } catch (error) {
      response.writeHead(400).end(`${error.message}\n`);
    }
  });
  await new Promise((listening) => server.listen(0, '127.0.0.1', listening));
  return { url: `http://127.0.0.1:${server.address().port}`, stop: () => server.close() };
};
