import { exec } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ServerProcess } from '@palimpsest/test-kit';
import { eventually } from './fixture.ts';

/** Three nodes, whose leader can be taken away. */
export type ClusterUnderTest = Readonly<{
  /** Its connection string. */
  url: string;
  /** Resolves when there is another leader; where nobody can be asked for that, when the command has ended. */
  killLeader(): Promise<void>;
  /** The leader keeps its connections and answers nothing. A real cluster without a command for that: its leader is killed. */
  freezeLeader(forMs: number): Promise<void>;
  dispose(): Promise<void>;
}>;

const run = promisify(exec);

/**
 * The cluster that EVENTSTORE_URL names, whose leader the command EVENTSTORE_KILL_LEADER kills (and EVENTSTORE_FREEZE_LEADER
 * freezes), or three test servers.
 */
export const clusterUnderTest = (): Promise<ClusterUnderTest> => {
  const { EVENTSTORE_URL: url, EVENTSTORE_KILL_LEADER: kill, EVENTSTORE_FREEZE_LEADER: freeze = kill } = process.env;
  return url && kill && freeze ? Promise.resolve(realCluster(url, kill, freeze)) : startCluster();
};

const realCluster = (url: string, kill: string, freeze: string): ClusterUnderTest => ({
  url,
  killLeader: async () => void (await run(kill)),
  freezeLeader: async (forMs) => void (await run(freeze, { env: { ...process.env, FREEZE_MS: String(forMs) } })),
  dispose: async () => undefined,
});

export const startCluster = async (): Promise<ClusterUnderTest> => {
  const data = await mkdtemp(join(tmpdir(), 'eventstore-cluster-'));
  const server = await ServerProcess.start('eventstore-server', ['--data', data, '--cluster']);
  const control = server.line('control');
  let elections = 0;
  const changed = async (): Promise<void> => {
    await eventually(async () => {
      const state = (await (await fetch(`${control}/state`)).json()) as { leader?: string; elections: number };
      if (state.leader === undefined || state.elections <= elections) return false;
      elections = state.elections;
      return true;
    });
  };
  const disturb = async (route: string, body: object): Promise<void> => {
    const answer = await fetch(`${control}/${route}`, { method: 'POST', body: JSON.stringify(body) });
    if (!answer.ok) throw new Error(await answer.text());
    await changed();
  };
  await changed();
  return {
    url: server.address,
    killLeader: () => disturb('kill-leader', {}),
    freezeLeader: (forMs) => disturb('freeze-leader', { forMs }),
    dispose: async () => {
      await server.stop();
      await rm(data, { recursive: true, force: true });
    },
  };
};
