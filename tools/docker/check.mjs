/**
 * Checks docker/ and deploy/kustomize against each other, the services' settings and their routes. Then it checks itself with planted
 * faults, which it must find. Needs neither a container engine nor a cluster. Prints one line for each finding; exit code 1 if there are any.
 */
import { runOnPinnedNode } from '../docs/run-on-pinned-node.mjs';

await runOnPinnedNode(async () => {
  const [{ findingsIn, readTexts }, { routes: allRoutes, SAMPLE_SECRETS }, { selfTest }, { othersFindings }] = await Promise.all([
    import('./lib/findings.mjs'),
    import('./lib/services.mjs'),
    import('./lib/self-test.mjs'),
    import('./lib/tools-of-others.mjs'),
  ]);
  return async () => {
    const routes = await allRoutes();
    const texts = readTexts();
    const own = findingsIn(texts, routes);
    const { findings: others, asked } = othersFindings(SAMPLE_SECRETS);
    const { count, unnoticed } = selfTest(texts, (changed) => findingsIn(changed, routes).filter((finding) => !own.includes(finding)));
    const findings = [...own, ...others, ...unnoticed];
    for (const finding of findings) process.stderr.write(`${finding}\n`);
    const by = asked.length === 0 ? 'docker compose and kubectl are not installed here' : `also checked with ${asked.join(', ')}`;
    process.stderr.write(`docker: ${findings.length} findings; ${count - unnoticed.length} of ${count} planted faults found; ${by}\n`);
    return findings.length === 0 ? 0 : 1;
  };
});
