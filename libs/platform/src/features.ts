import { failedJobs, health, status } from './operations/operation-features.ts';
import { ingestion } from '@palimpsest/ingestion';
import { administration, logProofs, readModels, relay } from '@palimpsest/projections';
import { events, query, timeline } from '@palimpsest/query';
import { erasure } from '@palimpsest/erasure';
import { fleets, reembedding } from '@palimpsest/generations';
import { golden } from '@palimpsest/golden';
import { addedModels, models } from '@palimpsest/models';
import { audit, caller, tenants } from '@palimpsest/tenancy';

/** All features in one process. Projections start in this order: the relay after the read models, which it asks for held documents. */
export const WHOLE_PLATFORM = [
  health,
  status,
  models,
  readModels,
  relay,
  administration,
  logProofs,
  tenants,
  caller,
  audit,
  failedJobs,
  ingestion,
  reembedding,
  fleets,
  golden,
  erasure,
  query,
  events,
  timeline,
] as const;

/** Accepts and processes documents. */
export const INGESTION_SERVICE = [health, addedModels, readModels, relay, tenants, failedJobs, ingestion] as const;

/** Re-embeds scopes with another model, keeps their golden queries, and lists what happened in them. */
export const REEMBEDDING_SERVICE = [health, models, readModels, relay, reembedding, fleets, golden, erasure, timeline] as const;

/** Answers queries; verifies and rebuilds the read models; signs the log. */
export const QUERY_SERVICE = [health, status, addedModels, readModels, administration, logProofs, caller, audit, query, events] as const;
