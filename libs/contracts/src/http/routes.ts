import type { RouteContract } from './route.ts';
import * as apiKeys from './routes/api-keys.ts';
import * as canary from './routes/canary.ts';
import * as documentVersions from './routes/document-versions.ts';
import * as documents from './routes/documents.ts';
import * as erasure from './routes/erasure.ts';
import * as events from './routes/events.ts';
import * as fleets from './routes/fleets.ts';
import * as golden from './routes/golden.ts';
import * as history from './routes/history.ts';
import * as health from './routes/health.ts';
import * as knowledgeBases from './routes/knowledge-bases.ts';
import * as models from './routes/models.ts';
import * as operation from './routes/operation.ts';
import * as proofs from './routes/proofs.ts';
import * as rebuild from './routes/rebuild.ts';
import * as replay from './routes/replay.ts';
import * as search from './routes/search.ts';
import * as strategies from './routes/strategies.ts';
import * as subjectErasure from './routes/subject-erasure.ts';
import * as swap from './routes/swap.ts';
import * as swapPlan from './routes/swap-plan.ts';
import * as swapProgress from './routes/swap-progress.ts';
import * as tenantErasure from './routes/tenant-erasure.ts';
import * as tenants from './routes/tenants.ts';
import * as timeline from './routes/timeline.ts';
import * as transfer from './routes/transfer.ts';
import * as verification from './routes/verification.ts';

/** Files of contracts export nothing else. */
const AREAS: readonly Readonly<Record<string, RouteContract>>[] = [
  health,
  documents,
  documentVersions,
  search,
  replay,
  knowledgeBases,
  strategies,
  events,
  timeline,
  apiKeys,
  tenants,
  models,
  transfer,
  operation,
  proofs,
  verification,
  rebuild,
  swap,
  swapPlan,
  swapProgress,
  canary,
  fleets,
  golden,
  erasure,
  subjectErasure,
  tenantErasure,
  history,
];

const METHODS: readonly RouteContract['method'][] = ['get', 'post', 'put', 'patch', 'delete'];

/** Every route of the HTTP API, by path and method. */
export const ROUTES: readonly RouteContract[] = AREAS.flatMap((area) => Object.values(area)).sort((a, b) =>
  a.path === b.path ? METHODS.indexOf(a.method) - METHODS.indexOf(b.method) : a.path < b.path ? -1 : 1,
);
