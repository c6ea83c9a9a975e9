import type { Servers } from '../../../tools/distributed/servers.mjs';
import { startInstallation, type Installation } from '../../../tools/distributed/installation.mjs';
import { afterSuite } from './tidy-up.ts';

/** The servers that `start-servers.mjs` started, if this is a distributed run. */
export const distributedServers = (): Servers | undefined => {
  const described = process.env['E2E_SERVERS'];
  return described === undefined ? undefined : (JSON.parse(described) as Servers);
};

const installations = new Map<string, Installation>();

/** The installation that runs on a folder. */
export const installationOn = (data: string): Installation | undefined => installations.get(data);

/** Three services, one replica each, on the servers of the run. A later start with the same folder continues the same installation. */
export const startDistributed = async (servers: Servers, data: string, settings: Readonly<Record<string, string>>) => {
  let output = '';
  const installation = await startInstallation({
    servers,
    folder: data,
    settings: { PALIMPSEST_KAFKA_PARTITIONS: '4', PALIMPSEST_LOG_LEVEL: 'info', ...settings },
    onLine: (_, text) => void (output += text),
  });
  installations.set(data, installation);
  afterSuite(() => installation.kill());
  const end = (how: 'stop' | 'kill') => async () => {
    const ended = await installation[how]();
    const bad = ended.find(({ code }) => code !== 0) ?? ended[0];
    return { code: bad?.code ?? null, signal: bad?.signal ?? null, stdout: '', stderr: output };
  };
  return { url: installation.url, key: installation.key, pid: 0, output: () => output, stop: end('stop'), kill: end('kill') };
};
