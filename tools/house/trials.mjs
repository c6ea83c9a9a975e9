/**
 * Additions tried by following only the documentation (docs/how-to/extend.md), each on a branch of its own that was thrown away, with every
 * file with code that they touched, apart from a new package, specs, golden files and generated files.
 */
export const TRIALS = {
  eventType: {
    what: 'a new event type',
    goal: 6,
    files: [
      'libs/knowledge/src/events/document-events.ts',
      'libs/contracts/src/events/document-events.ts',
      'libs/knowledge/src/deciders/document.ts',
      'libs/query/src/events/opened-data.ts',
    ],
  },
  chunker: {
    what: 'a new chunker',
    goal: 5,
    files: [
      'libs/knowledge/src/values/chunking.ts',
      'libs/ingestion/src/chunking/transcript-chunker.ts (new)',
      'libs/ingestion/src/chunking/chunker-for.ts',
      'apps/console/src/knowledge-bases/chunking-fields.ts',
      'tools/docs/http-api-head.txt',
    ],
  },
  // The trial touched query-feature.ts instead of open-models.ts, without a real reranker. Since then the ports reach the stages whole, and every
  // process opens its models in open-models.ts.
  rerankStage: {
    what: 'a reranker stage with a port of its own (and a package)',
    goal: 5,
    files: [
      'libs/query/src/pipeline/rerank.ts (new)',
      'libs/query/src/pipeline/search-stages.ts',
      'libs/knowledge/src/ports/reranker.ts (new)',
      'libs/knowledge/src/exports/ports.ts',
      'libs/platform/src/models/open-models.ts',
    ],
  },
  embeddingProvider: {
    what: 'an embedding provider (and a package)',
    goal: 3,
    files: ['libs/platform/src/models/model-sources.ts', 'libs/platform/package.json', 'libs/platform/tsconfig.json'],
  },
  // `GET /v1/scopes/{scope}/summary`, as a new use case with a new command and a section of an existing page. The trial also touched
  // tools/docs/cli.mjs. Since then, program.ts says what a command prints as JSON,
  // routes have an import path each, and the client exports every view: libs/contracts/src/http/index.ts and libs/client/src/index.ts no longer count.
  endpoint: {
    what: 'an endpoint with command and page',
    goal: 10,
    files: [
      'libs/contracts/src/http/routes/operation.ts',
      'libs/contracts/src/http/views/operations.ts',
      'libs/generations/src/summarise-scope.ts (new)',
      'libs/generations/src/nest/reembedding-feature.ts',
      'libs/generations/src/nest/reembedding-controller.ts',
      'libs/client/src/operations-client.ts',
      'apps/cli/src/commands/scope-summary.ts (new)',
      'apps/cli/src/program.ts',
      'apps/console/src/knowledge-bases/scope-summaries.tsx (new)',
      'apps/console/src/knowledge-bases/knowledge-bases-page.tsx',
    ],
  },
};
