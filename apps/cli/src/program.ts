import { Command } from 'commander';
import type { AddCommand, AsAction, Work } from './action.ts';
import { addAudit } from './commands/audit.ts';
import { addBackup } from './commands/backup.ts';
import { addBench } from './commands/bench.ts';
import { addContext } from './commands/context.ts';
import { addDeadLetters } from './commands/dead-letters.ts';
import { addDocuments } from './commands/documents.ts';
import { addErasure } from './commands/erasure.ts';
import { addHistory } from './commands/history.ts';
import { addEval } from './commands/eval.ts';
import { addEvents } from './commands/events.ts';
import { addExport } from './commands/export.ts';
import { addFleet } from './commands/fleet.ts';
import { addGolden } from './commands/golden.ts';
import { addImport } from './commands/import.ts';
import { addIngest } from './commands/ingest.ts';
import { addKeys } from './commands/keys.ts';
import { addKnowledgeBases } from './commands/knowledge-bases.ts';
import { addModels } from './commands/models.ts';
import { addOverview } from './commands/overview.ts';
import { addReceipt } from './commands/receipt.ts';
import { addReembed } from './commands/reembed.ts';
import { addRestore } from './commands/restore.ts';
import { addRebuild } from './commands/rebuild.ts';
import { addRepair } from './commands/repair.ts';
import { addReplay } from './commands/replay.ts';
import { addSearch } from './commands/search.ts';
import { addStart } from './commands/start.ts';
import { addStatus } from './commands/status.ts';
import { addSubject } from './commands/subject.ts';
import { addStrategy } from './commands/strategy.ts';
import { addSwap } from './commands/swap.ts';
import { addTenants } from './commands/tenants.ts';
import { addTimeline } from './commands/timeline.ts';
import { addVerify } from './commands/verify.ts';
import { openSession } from './session.ts';
import type { CommonOptions, Surroundings } from './session.ts';
import { VERSION } from './version.ts';

const HELP = `
Without --url and PALIMPSEST_URL, commands use the server on this machine. It is found through PALIMPSEST_DATA or the
folder .palimpsest in the working folder or above. Exit codes: 0 success, 1 partial failure, 2 could not run, 3 undecided,
130 interrupted.`;

/**
 * The commands in the order of the help, and what each prints with --json, for the reference: `Type` is a type of the HTTP API, `{ … }` is the
 * complete shape.
 */
export const COMMANDS: readonly (readonly [add: AddCommand, json: Readonly<Record<string, string>>])[] = [
  [addStart, {}],
  [addIngest, { ingest: 'Summary' }],
  [addSearch, { search: 'SearchResult' }],
  [addReplay, { replay: 'ReplayResult; without a trace id: ReplayedWindow without `next`, with isComplete' }],
  [addReceipt, { 'receipt get': 'LineageReceipt', 'receipt check': '{ valid, problems, keyId, kind }' }],
  [addContext, { context: 'ContextResult' }],
  [
    addDocuments,
    {
      'documents list': '{ documents: DocumentView[], total }',
      'documents count': '{ total }',
      'documents show': 'DocumentDetails',
      'documents version': 'DocumentVersionDetails with all chunks',
      'documents diff': 'DocumentDiff',
      'documents watch': 'one DocumentChange per line',
      'documents rm': '{ deleted: { documentId, position }[] }',
      'documents delete': 'DocumentsDeleted',
      'documents retry': '{ retried: SubmissionResult[] }',
    },
  ],
  [
    addKnowledgeBases,
    {
      'knowledge-bases list': '{ knowledgeBases: KnowledgeBaseView[] }',
      'knowledge-bases create': 'KnowledgeBaseWritten',
      'knowledge-bases configure': 'KnowledgeBaseWritten',
      'knowledge-bases pause': 'KnowledgeBaseWritten',
      'knowledge-bases resume': 'KnowledgeBaseWritten',
      'knowledge-bases archive': 'KnowledgeBaseWritten',
      'knowledge-bases delete': 'KnowledgeBaseWritten, as it was when the deletion was recorded',
    },
  ],
  [
    addStrategy,
    {
      'strategy show': 'KnowledgeBaseStrategy',
      'strategy evaluate': 'KnowledgeBaseStrategy',
      'strategy set': 'KnowledgeBaseStrategy',
    },
  ],
  [addEvents, { 'events list': '{ events: EventView[] }; with --follow one EventView per line', 'events show': 'EventView' }],
  [addTimeline, { timeline: '{ entries: TimelineEntry[], from, to, more }' }],
  [addStatus, { status: 'StatusView' }],
  [addOverview, { overview: 'OverviewView' }],
  [addVerify, { verify: 'VerifyResult; with --log LogCheckResult' }],
  [addRepair, { 'repair start': 'RepairResult', 'repair history': 'VerificationHistory' }],
  [
    addRebuild,
    {
      'rebuild start': 'RebuildResult',
      'rebuild status': 'RebuildView',
      'rebuild pause': 'RebuildView',
      'rebuild resume': 'RebuildView',
      'rebuild cancel': 'RebuildView',
    },
  ],
  [
    addErasure,
    {
      'erasure start': 'ScopeErasure',
      'erasure status': 'ScopeErasure',
      'erasure receipt': 'ErasureReceipt',
      'erasure hold': 'ScopeErasure',
      'erasure release': 'ScopeErasure',
    },
  ],
  [addHistory, { 'history remove': 'HistoryStatus', 'history status': 'HistoryStatus' }],
  [
    addSubject,
    {
      'subject find': 'SubjectFound',
      'subject erase': 'SubjectErasure',
      'subject status': 'SubjectErasure',
      'subject receipt': 'ErasureReceipt',
    },
  ],
  [addReembed, { reembed: 'ReembedProgress, or ReembedStarted with --no-wait or when there is nothing to do' }],
  [
    addSwap,
    {
      'swap list': '{ swaps: SwapView[] }',
      'swap plan': 'SwapPlanChanged; without --scope SwapPlanList, with --all-tenants SwapPlanTenants',
      'swap approve': 'SwapPlanChanged',
      'swap start': 'SwapChanged',
      'swap status': 'SwapView',
      'swap watch': 'SwapView, the last one',
      'swap pause': 'SwapChanged',
      'swap resume': 'SwapChanged',
      'swap evaluate': 'EvaluationView',
      'swap canary': 'SwapChanged with --share or --stop, otherwise CanaryView',
      'swap cutover': 'SwapChanged',
      'swap rollback': 'SwapChanged',
      'swap cancel': 'SwapChanged',
      'swap retire': 'SwapChanged',
    },
  ],
  [
    addFleet,
    {
      'fleet list': '{ fleets: FleetView[] }',
      'fleet plan': 'FleetPlanChanged; with --id FleetPlanView',
      'fleet approve': 'FleetPlanChanged',
      'fleet start': 'FleetChanged',
      'fleet status': 'FleetView',
      'fleet watch': 'FleetView, the last one',
      'fleet pause': 'FleetChanged',
      'fleet resume': 'FleetChanged',
      'fleet continue': 'FleetChanged',
      'fleet cancel': 'FleetChanged',
      'fleet rollback': 'FleetChanged',
      'fleet retire': 'FleetChanged',
    },
  ],
  [
    addGolden,
    {
      'golden list': '{ sets: GoldenSetView[] }',
      'golden show': 'GoldenSetPage with the shown queries',
      'golden import': 'GoldenSetImported and { leftOut }',
      'golden export': '{ path, set, queries, judgements }',
      'golden remove': '{ removed: set }',
    },
  ],
  [
    addModels,
    {
      'models list': '{ models: ModelView[] }',
      'models add': 'ModelView',
      'models download': '{ folder, existed, model: the content of model.json }',
      'models remove': '{ removed: id[] }',
      'models test': 'ModelTest',
    },
  ],
  [
    addDeadLetters,
    {
      'dead-letters list': '{ deadLetters: DeadLetterView[] }',
      'dead-letters retry': '{ retried: id[] }',
      'dead-letters discard': '{ discarded: id[] }',
    },
  ],
  [
    addKeys,
    {
      'keys create': 'ApiKeyCreated',
      'keys list': '{ keys: ApiKeyView[] }',
      'keys whoami': 'CallerView',
      'keys revoke': '{ revoked: keyId }',
    },
  ],
  [
    addTenants,
    {
      'tenants list': '{ tenants: TenantView[] }',
      'tenants usage': 'UsageView',
      'tenants show': 'TenantView',
      'tenants set': 'TenantView',
      'tenants erase': 'TenantErasure',
      'tenants erasure': 'TenantErasure',
      'tenants receipt': 'ErasureReceipt',
    },
  ],
  [addAudit, { audit: '{ entries: AuditEntry[] }' }],
  [
    addEval,
    {
      eval: '{ testSet, documents, failed, queries, results: { strategy, ndcg10, recall10, recall100, mrr10 }[] }',
      'eval chunking':
        '{ testSet, texts, questions, references, top, level, seed, results: { knowledgeBase, chunking: Chunking, chunks, chunkLength, chunksWithoutPlace, precisionOmega: { mean, deviation, interval: [low, high] }, strategies: { strategy, hitsWithoutPlace, recall: { mean, deviation, interval }, precision, iou }[] }[] }',
      'eval compare':
        '{ before, after, queries, withoutResults: { before, after }, margin, level, seed, verdict, additionalQueries, unseenShare, measures: { measure, before, after, difference, interval: [low, high], p, adjustedP, smallestDetectableEffect, verdict, additionalQueries }[], worst: { query, text, before, after, difference, documents: { document, grade, before: { rank, score, explain: HitExplanation }, after }[], moreDocuments }[], best }; with several runs after the first one { before, verdict, runs }, where each of runs has that form; with --live EvaluationView',
    },
  ],
  [addBench, { bench: '{ benchmarks: { name, measures }[] }; a single named benchmark prints its own lines' }],
  [
    addBackup,
    {
      backup:
        '{ file, size, format, createdAt, by, position, parts: { streams, events, blobs, files }, missing: { count, first } }, with --check without size',
    },
  ],
  [addRestore, { restore: '{ data, format, createdAt, by, position, parts, missing }' }],
  [addExport, { export: '{ file, size, scope, embeddingVersion, knowledgeBases, documents, chunks }' }],
  [addImport, { import: 'ImportBegun and { imported, accepted, unchanged, kept, rejected: { source, code, detail }[] }' }],
];

export const buildProgram = (surroundings: Surroundings, onExitCode: (code: number) => void): Command => {
  const { stdout, stderr } = surroundings;
  const program = new Command('palimpsest')
    .description('Ingest and search documents with Palimpsest, and operate the platform.')
    .version(`palimpsest ${VERSION}`, '-V, --version', 'print the version')
    .option('--url <address>', 'address of the server (PALIMPSEST_URL)')
    .option('--api-key <key>', 'API key (PALIMPSEST_API_KEY)')
    .option('--json', 'print one JSON document on stdout')
    .configureHelp({ showGlobalOptions: true })
    .configureOutput({ writeOut: (text) => void stdout.write(text), writeErr: (text) => void stderr.write(text) })
    .addHelpText('after', HELP)
    .showHelpAfterError('(add --help for usage)')
    .exitOverride();

  const asAction: AsAction =
    <Options, Args extends readonly unknown[]>(work: Work<Options, Args>) =>
    async (...given) => {
      // Commander passes the arguments, then the options, then the command.
      const command = given.at(-1) as Command;
      const session = openSession(surroundings, command.optsWithGlobals<CommonOptions>());
      onExitCode(await work(session, command.opts() as Options, ...(given.slice(0, -2) as unknown as Args)));
    };

  for (const [add] of COMMANDS) add(program, asAction);
  return program;
};
