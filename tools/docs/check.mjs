/**
 * Fails if a generated page differs from what the code would generate, if a link, an anchor or a path in any Markdown file of the
 * repository is dead, if a project has no README that lists its contents, or if
 * a stated limit differs from the code. Needs no server and no build. Prints one line for each finding.
 */
import { runOnPinnedNode } from './run-on-pinned-node.mjs';

await runOnPinnedNode(async () => {
  const [
    { makePages, stalePages },
    { deadReferences },
    { findingsInReadme, projects },
    { unnoticedFaults },
    { statedLimits, wrongLimits },
  ] = await Promise.all([
    import('./pages.mjs'),
    import('./dead-references.mjs'),
    import('./project-readmes.mjs'),
    import('./planted-faults.mjs'),
    import('./stated-limits.mjs'),
  ]);
  return async () => {
    const limits = await statedLimits();
    const stale = stalePages(await makePages()).map((file) => `${file}: outdated; run \`npm run docs\``);
    const findings = [
      ...stale,
      ...deadReferences(),
      ...projects().flatMap(findingsInReadme),
      ...wrongLimits(limits),
      ...unnoticedFaults(limits),
    ];
    for (const finding of findings) process.stderr.write(`${finding}\n`);
    process.stderr.write(
      findings.length === 0 ? 'docs: every page is up to date, every reference is valid\n' : `docs: ${findings.length} findings\n`,
    );
    return findings.length === 0 ? 0 : 1;
  };
});
