/**
 * Who may import whom, by the `layer:` tag in each package.json (`nx.tags`). docs/ARCHITECTURE.md draws the same picture.
 * `@nx/enforce-module-boundaries` reads it; tools/lint/check-boundaries.mjs proves that it does.
 */
const layer = (name, ...mayImport) => ({
  sourceTag: `layer:${name}`,
  onlyDependOnLibsWithTags: mayImport.map((other) => `layer:${other}`),
});

export const layersOf = [
  layer('domain'),
  layer('contracts', 'domain'),
  // A feature never imports another one: they meet on the log and in apps.
  layer('feature', 'domain', 'contracts'),
  layer('adapter', 'domain', 'contracts'),
  layer('runtime', 'domain', 'contracts'),
  layer('client'),
  // In a browser there is nothing but the client.
  layer('console', 'client'),
  // What apps share: the rim, and sets of adapters put together. Apps choose among them.
  layer('host', 'domain', 'contracts', 'runtime', 'feature', 'adapter', 'host'),
  layer('test-kit', 'domain', 'contracts'),
  { sourceTag: 'layer:app', onlyDependOnLibsWithTags: ['*'] },
];

const also = (constraints, layers, name) =>
  constraints.map(({ sourceTag, onlyDependOnLibsWithTags }) => ({
    sourceTag,
    onlyDependOnLibsWithTags: layers(sourceTag) ? [...onlyDependOnLibsWithTags, `layer:${name}`] : onlyDependOnLibsWithTags,
  }));

/** For the `nest/` folders of features: their controllers need to know the caller and to answer problems. */
export const withRuntime = (constraints) => also(constraints, (layer) => layer === 'layer:feature', 'runtime');

/** For specs: what the layer may import, and the test kit. */
export const withTestKit = (constraints) => also(constraints, () => true, 'test-kit');

/** For scripts (benchmarks, tools), which stand outside the layers. */
export const anyLayer = [{ sourceTag: '*', onlyDependOnLibsWithTags: ['*'] }];
