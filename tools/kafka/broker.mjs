import { mkdir, stat, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { brokerProperties } from './broker-properties.mjs';
import { runJava, startJava } from './java.mjs';

const listens = (port) =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => (socket.destroy(), resolve(true)));
    socket.once('error', () => resolve(false));
  });

/** One node, broker and controller combined: a folder, and a Java process while it runs. */
export class Broker {
  constructor(folder, plan, id) {
    this.folder = join(folder, `broker-${id}`);
    this.plan = plan;
    this.id = id;
    this.java = undefined;
  }

  get port() {
    return this.plan.nodes.find(({ id }) => id === this.id).port;
  }

  get pid() {
    return this.java?.pid;
  }

  /** Resolves when its port is open; continues with the data of an earlier run. */
  async start(options = []) {
    if (this.java !== undefined) return;
    await mkdir(this.folder, { recursive: true });
    const properties = join(this.folder, 'server.properties');
    await writeFile(properties, brokerProperties(this.plan, this.id, join(this.folder, 'data')));
    const formatted = await stat(join(this.folder, 'data', 'meta.properties')).catch(() => undefined);
    if (!formatted) await runJava('kafka.tools.StorageTool', ['format', `--cluster-id=${this.plan.clusterId}`, '-c', properties]);
    const java = await startJava('kafka.Kafka', [properties], options);
    this.java = java;
    let over = false;
    java.ended.then(() => {
      over = true;
      if (this.java === java) this.java = undefined;
    });
    while (!(await listens(this.port))) {
      if (over) throw new Error(`broker ${this.id} exited: ${java.errors()}`);
      await sleep(50);
    }
  }

  async end(signal) {
    const java = this.java;
    if (java === undefined) return;
    process.kill(java.pid, signal);
    await java.ended;
  }
}
