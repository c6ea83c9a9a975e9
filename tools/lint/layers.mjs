/**
 * Allowed imports between layers, by the `layer:` tag in each package.json (`nx.tags`). docs/ARCHITECTURE.md shows the same picture.
 * `@nx/enforce-module-boundaries` reads it; tools/lint/check-boundaries.mjs proves that it is enforced.
 */
const layer = (name, ...mayImport) => ({
  sourceTag: `layer:${name}`,
  onlyDependOnLibsWithTags: mayImport.map((other) => `layer:${other}`),
});

export const layersOf = [
  layer('domain'),
  // Every layer may import it, except the domain, which imports nothing, and what runs in a browser.
  layer('foundation'),
  layer('contracts', 'domain', 'foundation'),
  // Measures and statistics: pure functions, for features and the command line.
  layer('evaluation', 'foundation'),
  // Signed checkpoints of the log and receipts: made by features, checked by the command line.
  layer('proofs', 'domain', 'foundation', 'contracts'),
  // A feature never imports another one: they communicate through the log, and are combined in apps.
  layer('feature', 'domain', 'foundation', 'contracts', 'evaluation', 'proofs'),
  layer('adapter', 'domain', 'foundation', 'contracts'),
  // What features plug into: the buses, and the HTTP edge.
  layer('runtime', 'domain', 'foundation', 'contracts'),
  layer('http', 'domain', 'foundation', 'contracts'),
  // Observes ports, the server and what features count; no feature knows about it.
  layer('telemetry', 'domain', 'foundation', 'contracts', 'http', 'feature'),
  // Only types: nothing of the contracts is loaded in a client.
  layer('client', 'contracts'),
  // In a browser, only the client is available.
  layer('console', 'client'),
  // Puts processes together, and names technologies. Apps choose among its sets of adapters.
  layer('platform', 'domain', 'foundation', 'contracts', 'runtime', 'http', 'telemetry', 'feature', 'adapter', 'platform'),
  layer('test-kit', 'domain', 'foundation', 'contracts'),
  { sourceTag: 'layer:app', onlyDependOnLibsWithTags: ['*'], notDependOnLibsWithTags: ['layer:e2e'] },
  // Suites on the whole platform, and what they share (`e2e/support`): nothing else imports them.
  { sourceTag: 'layer:e2e', onlyDependOnLibsWithTags: ['*'] },
];

const also = (constraints, layers, ...names) =>
  constraints.map((constraint) => ({
    ...constraint,
    onlyDependOnLibsWithTags: layers(constraint.sourceTag)
      ? [...constraint.onlyDependOnLibsWithTags, ...names.map((name) => `layer:${name}`)]
      : constraint.onlyDependOnLibsWithTags,
  }));

/** For the `nest/` folders of features: their controllers need the buses, the caller and problems. */
export const withRuntime = (constraints) => also(constraints, (layer) => layer === 'layer:feature', 'runtime', 'http');

/** For specs: the imports of the layer, and the test kit. */
export const withTestKit = (constraints) => also(constraints, () => true, 'test-kit');

/** For scripts (benchmarks, tools), which are outside the layers. */
export const anyLayer = [{ sourceTag: '*', onlyDependOnLibsWithTags: ['*'] }];
