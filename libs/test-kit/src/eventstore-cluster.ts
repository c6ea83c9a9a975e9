import { exec } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { ServerProcess } from './server-process.ts';

/** An EventStoreDB cluster whose leader can be killed or frozen. */
export type EventStoreCluster = Readonly<{
  /** Its connection string. */
  url: string;
  /** A cluster that this process did not start. */
  isReal: boolean;
  /** Resolves when there is another leader; for a real cluster, when the command has ended. */
  killLeader(): Promise<void>;
  /** The leader keeps its connections but does not answer. A real cluster without a freeze command kills its leader instead. Returns what was done. */
  freezeLeader(forMs: number): Promise<'frozen' | 'killed'>;
  dispose(): Promise<void>;
}>;

export type ClusterTimes = Readonly<{
  /** Time from the detected loss of a leader to the next leader, ms; default 500. */
  electionMs?: number;
}>;

const run = promisify(exec);
const POLL_MS = 20;
/** Maximum wait for a new leader, in addition to the election time. */
const NEW_LEADER_MS = 60_000;

/**
 * The real cluster at EVENTSTORE_URL if EVENTSTORE_KILL_LEADER is a command that kills its leader (EVENTSTORE_FREEZE_LEADER freezes
 * it for FREEZE_MS), otherwise a cluster of test servers.
 */
export const eventStoreCluster = (times?: ClusterTimes): Promise<EventStoreCluster> => {
  const { EVENTSTORE_URL: url, EVENTSTORE_KILL_LEADER: kill, EVENTSTORE_FREEZE_LEADER: freeze = kill } = process.env;
  if (kill && !url) throw new Error('EVENTSTORE_KILL_LEADER is set, but EVENTSTORE_URL does not name its cluster');
  return url && kill && freeze ? Promise.resolve(realCluster(url, kill, freeze)) : startEventStoreCluster(times);
};

const realCluster = (url: string, kill: string, freeze: string): EventStoreCluster => ({
  url,
  isReal: true,
  killLeader: async () => void (await run(kill)),
  freezeLeader: async (forMs) => {
    await run(freeze, { env: { ...process.env, FREEZE_MS: String(forMs) } });
    return freeze === kill ? 'killed' : 'frozen';
  },
  dispose: async () => undefined,
});

/** Starts three test servers, see tools/eventstore-server/README.md. */
export const startEventStoreCluster = async ({ electionMs = 500 }: ClusterTimes = {}): Promise<EventStoreCluster> => {
  const data = await mkdtemp(join(tmpdir(), 'eventstore-cluster-'));
  const server = await ServerProcess.start('eventstore-server', ['--data', data, '--cluster', '--election', String(electionMs)]);
  const control = server.line('control');
  let elections = 0;
  const newLeader = async (): Promise<void> => {
    for (const until = Date.now() + electionMs + NEW_LEADER_MS; Date.now() < until; await sleep(POLL_MS)) {
      const state = (await (await fetch(`${control}/state`)).json()) as { leader?: string; elections: number };
      if (state.leader === undefined || state.elections <= elections) continue;
      elections = state.elections;
      return;
    }
    throw new Error('the cluster has no new leader');
  };
  const disturb = async (route: string, body: object): Promise<void> => {
    const answer = await fetch(`${control}/${route}`, { method: 'POST', body: JSON.stringify(body) });
    if (!answer.ok) throw new Error(await answer.text());
    await newLeader();
  };
  await newLeader();
  return {
    url: server.address,
    isReal: false,
    killLeader: () => disturb('kill-leader', {}),
    freezeLeader: async (forMs) => {
      await disturb('freeze-leader', { forMs });
      return 'frozen';
    },
    dispose: async () => {
      await server.stop();
      await rm(data, { recursive: true, force: true });
    },
  };
};
