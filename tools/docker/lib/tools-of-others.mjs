/** Runs Docker Compose and kubectl on their own files, if they are installed. Neither needs an engine or a cluster. */
import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inRoot } from '../../setup/workspace.mjs';

const works = (command, args) => spawnSync(command, args, { stdio: 'ignore' }).status === 0;

const run = (what, command, args, env = process.env) => {
  const { status, stderr } = spawnSync(command, args, { encoding: 'utf8', env, cwd: inRoot() });
  return status === 0 ? [] : [`${what}: ${stderr.trim().split('\n').slice(0, 3).join(' ')}`];
};

/** @returns {{ findings: string[], asked: string[] }} */
export const othersFindings = (samples) => {
  const findings = [];
  const asked = [];
  if (works('docker', ['compose', 'version'])) {
    asked.push('docker compose config');
    findings.push(
      ...run('docker compose config', 'docker', ['compose', '-f', 'docker/compose.yaml', '--profile', 'cache', 'config', '--quiet'], {
        ...process.env,
        ...samples,
      }),
    );
  }
  if (works('kubectl', ['version', '--client'])) {
    asked.push('kubectl kustomize');
    const copy = mkdtempSync(join(tmpdir(), 'palimpsest-kustomize-'));
    try {
      cpSync(inRoot('deploy', 'kustomize'), copy, { recursive: true });
      // Kustomize needs the file with the secrets; its example has the keys.
      cpSync(join(copy, 'overlays/example/secret.env.example'), join(copy, 'overlays/example/secret.env'));
      for (const folder of ['base', 'overlays/example'])
        findings.push(...run(`kubectl kustomize ${folder}`, 'kubectl', ['kustomize', join(copy, folder)]));
    } finally {
      rmSync(copy, { recursive: true, force: true });
    }
  }
  return { findings, asked };
};
