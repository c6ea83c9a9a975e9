import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';

/** What Linux reports about a process and its descendants. The figures come from /proc, so these benchmarks need Linux. */

const TICKS_PER_SECOND = Number(execFileSync('getconf', ['CLK_TCK']).toString());

const statOf = (pid) => {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name in brackets may contain spaces: the fields after it are counted from its end.
    const [, parent, , , , , , , , , , user, system, deadUser, deadSystem] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return { pid, parent: Number(parent), ticks: [user, system, deadUser, deadSystem].reduce((sum, ticks) => sum + Number(ticks), 0) };
  } catch {
    return undefined;
  }
};

const treeOf = (root) => {
  const all = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => statOf(Number(pid)) ?? []);
  const tree = all.filter(({ pid }) => pid === root);
  for (let i = 0; i < tree.length; i++) tree.push(...all.filter(({ parent }) => parent === tree[i].pid));
  return tree;
};

/** CPU time of a process, its threads and its children (including those that have ended), ms. */
export const cpuMs = (root) => (treeOf(root).reduce((sum, { ticks }) => sum + ticks, 0) * 1000) / TICKS_PER_SECOND;

const residentOf = (pid) => Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) * 1024;

/** Resident bytes of the process alone, and of its children. */
export const residentBytes = (root) => {
  const [own, ...children] = treeOf(root).map(({ pid }) => residentOf(pid));
  return { own, children: children.reduce((sum, bytes) => sum + bytes, 0) };
};
