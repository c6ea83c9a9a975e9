import { Controller, Inject } from '@nestjs/common';
import { diffVersions, getVersion } from '@palimpsest/contracts/routes/document-versions';
import type { DocumentId } from '@palimpsest/knowledge/values';
import { Buses } from '@palimpsest/runtime';
import { Route, type Call } from '@palimpsest/http';
import type { DocumentHistory, Moment } from '../versions/document-history.ts';
import { DiffVersions, GetVersion, type FoundDiff, type FoundVersion, type ListedVersion } from '../versions/document-versions.ts';
import { chunkBody } from './document-views.ts';

@Controller()
export class DocumentVersionsController {
  readonly #buses: Buses;

  constructor(@Inject(Buses) buses: Buses) {
    this.#buses = buses;
  }

  @Route(getVersion)
  async one({ caller, params: { id, version }, query }: Call<typeof getVersion>) {
    return versionView(id, await this.#buses.execute(new GetVersion(caller, { id, version, ...query })));
  }

  @Route(diffVersions)
  async diff({ caller, params: { id }, query }: Call<typeof diffVersions>) {
    return diffView(id, await this.#buses.execute(new DiffVersions(caller, { id, ...query })));
  }
}

const momentOf = ({ position, at }: Moment): Moment => ({ position, at });

const shared = (documentId: DocumentId, { place, deletion }: DocumentHistory, knowledgeBase: string, source: string) => ({
  documentId,
  knowledgeBase,
  scope: place.scope,
  source,
  deleted: deletion !== undefined,
  ...(deletion === undefined ? {} : { deletion: momentOf(deletion) }),
});

const versionView = (id: DocumentId, { history, submission, submitted, failure, status, list, chunks, next }: FoundVersion) => {
  const total = list?.data.chunks.length ?? 0;
  return {
    ...shared(id, history, submission.knowledgeBase, submission.sourceId),
    version: submission.version,
    title: list?.data.title ?? submission.title ?? submission.fileName ?? submission.sourceId,
    status,
    submitted: momentOf(submitted),
    ...(list === undefined ? {} : { indexed: momentOf(list.indexed), chunkList: list.data.chunkList }),
    ...(failure !== undefined ? { reason: failure.reason, detail: failure.detail } : {}),
    total,
    chunks: chunks.map(({ content, recorded, index, place }) =>
      chunkBody(
        {
          ...place,
          index,
          of: total,
          language: recorded.language,
          ...(recorded.symbol === undefined ? {} : { symbol: recorded.symbol }),
        },
        content,
      ),
    ),
    ...(next === undefined ? {} : { next }),
  };
};

const sideView = ({ version, list: { data, indexed } }: Readonly<{ version: number; list: ListedVersion }>) => ({
  version,
  title: data.title,
  indexed: momentOf(indexed),
  chunkList: data.chunkList,
  chunks: data.chunks.length,
});

const diffView = (id: DocumentId, { history, from, to, counts, chunks, text, truncated }: FoundDiff) => ({
  ...shared(id, history, to.list.data.knowledgeBase, to.list.data.sourceId),
  from: sideView(from),
  to: sideView(to),
  counts,
  chunks,
  ...('unified' in text ? { unified: text.unified } : { unifiedMissing: text.missing }),
  truncated,
});
