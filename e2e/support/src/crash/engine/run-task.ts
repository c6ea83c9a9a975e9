import { pause } from '@palimpsest/foundation';
import {
  ArchiveKnowledgeBase,
  chunkingSettings,
  CreateKnowledgeBase,
  DEFAULT_KNOWLEDGE_BASE,
  DeleteDocument,
  ListDocuments,
  ListKnowledgeBases,
  RetryDocument,
  SubmitDocuments,
} from '@palimpsest/ingestion';
import { Conflict, NotFound } from '@palimpsest/knowledge/errors';
import { documentId, knowledgeBaseId, sourceId, vectorScope } from '@palimpsest/knowledge/values';
import { Rebuild } from '@palimpsest/projections';
import { SearchKnowledge, searchRequest } from '@palimpsest/query';
import { UNSPEAKABLE } from '../work.ts';
import type { Task } from './tasks.ts';
import { caughtUp, type Engine } from './open-engine.ts';

const QUERIES = ['harbour engine', 'anchor', 'the beacon of the red garden', 'candle number 3', 'nothing of the kind'];
const STRATEGIES = ['DenseSparseHybrid', 'DenseOnly', 'SparseOnly'] as const;
const BY = 'crash-test';

/** Runs a task. An error that says that it was done before counts as success. Resolves with the content of the acknowledgement. */
export const runTask = async (engine: Engine, task: Task): Promise<unknown> => {
  const { access, caller, buses, apiKeys } = engine;
  switch (task.do) {
    case 'submit':
      return submit(engine, task);
    case 'remove':
      return orDone(buses.execute(new DeleteDocument(caller, { id: documentId(task.documentId) })), NotFound);
    case 'retry':
      return void (await buses.execute(new RetryDocument(caller, documentId(task.documentId))));
    case 'create base':
      return orDone(
        buses.execute(
          new CreateKnowledgeBase(caller, {
            id: knowledgeBaseId(task.base),
            scope: vectorScope(task.scope),
            settings: { name: task.base, description: '', chunking: chunkingSettings() },
          }),
        ),
        Conflict,
      );
    case 'archive base':
      return orDone(buses.execute(new ArchiveKnowledgeBase(caller, knowledgeBaseId(task.base))), Conflict);
    case 'issue key': {
      const { key, keyId } = await apiKeys.issue(access, { name: task.name, teams: ['*'], roles: ['reader'] }, BY);
      return { key, keyId };
    }
    case 'revoke key':
      return orDone(apiKeys.revoke(access, task.keyId, BY), NotFound);
    case 'rebuild':
      // After damage, everything is projected again in place; by order, next to what serves.
      await engine.damageAll();
      await caughtUp(engine.journal, engine.runner);
      await buses.execute(new Rebuild(caller, {}));
      // In the background; its writes belong to this task.
      return engine.previousSetDeleted();
    case 'settle':
      return settle(engine);
    case 'look':
      return look(engine);
    case 'stop':
      return undefined;
  }
};

type ErrorClass = new (...args: never[]) => Error;
const orDone = async (work: Promise<unknown>, already: ErrorClass): Promise<void> => {
  await work.catch((error: unknown) => {
    if (!(error instanceof already)) throw error;
  });
};

/**
 * Looks for the document before it repeats a submission that must fail: submitting a failed document again would create another
 * version. It could also fail between the check and the submission, so an existing document is never submitted again.
 */
const submit = async (
  { buses, caller, runner, journal }: Engine,
  { sourceId: source, text, knowledgeBase, labels }: Extract<Task, { do: 'submit' }>,
): Promise<unknown> => {
  const input = {
    knowledgeBase: knowledgeBase === '' ? DEFAULT_KNOWLEDGE_BASE : knowledgeBaseId(knowledgeBase),
    sourceId: sourceId(source),
    bytes: Buffer.from(text),
    labels,
    origin: 'UserContent' as const,
  };
  if (text.includes(UNSPEAKABLE)) {
    await runner.reached(await journal.log.head(), 60_000);
    const { result } = await buses.execute(new ListDocuments(caller, { source, limit: 1 }));
    const [existing] = result.items;
    if (existing?.sourceId === source) return { documentId: existing.documentId, version: existing.version };
  }
  const { submitted } = await buses.execute(new SubmitDocuments(caller, { documents: [{ name: source, document: () => input }] }));
  return submitted.map(({ documentId: id, version }) => ({ documentId: id, version }))[0];
};

/** Resolves when everything submitted is indexed or failed, also in the read models. */
const settle = async ({ journal, runner, catalog }: Engine): Promise<void> => {
  for (;;) {
    await runner.reached(await journal.log.head(), 60_000);
    const { pending, processing } = await catalog.documentCounts();
    if (pending + processing === 0 && runner.position() === (await journal.log.head())) return;
    await pause(10);
  }
};

/** All visible state without times; equal for equal histories. */
const look = async ({ access, caller, buses, verify, apiKeys }: Engine): Promise<unknown> => {
  const documents: unknown[] = [];
  for (let cursor: string | undefined; ;) {
    const page = { limit: 500, ...(cursor === undefined ? {} : { cursor }) };
    const { items, next } = (await buses.execute(new ListDocuments(caller, page))).result;
    documents.push(...items.map(({ submittedAt: _submitted, indexedAt: _indexed, detail: _detail, ...view }) => view));
    if ((cursor = next) === undefined) break;
  }
  const hits: unknown[] = [];
  for (const strategy of STRATEGIES)
    for (const query of QUERIES) {
      const answer = await buses.execute(new SearchKnowledge(caller, searchRequest({ query, strategy, topK: 20 })));
      hits.push(answer.hits.map(({ chunkId, source, score, text }) => ({ chunkId, source, score, text })));
    }
  const { clean, differences, partitions, logDamage } = await verify.run();
  const { result: bases } = await buses.execute(new ListKnowledgeBases(caller, {}));
  const knowledgeBases = bases.map(({ createdAt: _created, ...base }) => base);
  return {
    documents,
    hits,
    partitions,
    knowledgeBases,
    clean,
    differences,
    logDamage,
    keys: apiKeys.list(access.tenant).map(({ keyId }) => keyId),
  };
};
