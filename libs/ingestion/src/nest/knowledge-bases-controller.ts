import { Controller, Inject } from '@nestjs/common';
import { chunkingSettings } from '@palimpsest/contracts';
import {
  archiveKnowledgeBase,
  configureKnowledgeBase,
  createKnowledgeBase,
  deleteKnowledgeBase,
  getKnowledgeBase,
  listKnowledgeBases,
  pauseKnowledgeBase,
  resumeKnowledgeBase,
} from '@palimpsest/contracts/routes/knowledge-bases';
import type { KnowledgeBaseView } from '@palimpsest/knowledge/read-models';
import { Buses } from '@palimpsest/runtime';
import { Route, type Call } from '@palimpsest/http';
import { GetKnowledgeBase, ListKnowledgeBases } from '../documents/find-documents.ts';
import {
  ArchiveKnowledgeBase,
  ConfigureKnowledgeBase,
  CreateKnowledgeBase,
  DeleteKnowledgeBase,
  PauseKnowledgeBase,
  ResumeKnowledgeBase,
  type Changed,
} from '../knowledge-bases/knowledge-bases.ts';
import { momentOf } from './document-views.ts';

@Controller()
export class KnowledgeBasesController {
  readonly #buses: Buses;

  constructor(@Inject(Buses) buses: Buses) {
    this.#buses = buses;
  }

  @Route(createKnowledgeBase)
  async create({ caller, body }: Call<typeof createKnowledgeBase>) {
    const { id, scope, name = id, description = '', chunking = chunkingSettings(), language, historyDays, fields, synonyms } = body;
    const settings = {
      ...{ name, description, chunking, language: language ?? 'und', historyDays: historyDays ?? 0 },
      ...{ fields: fields ?? {}, synonyms: synonyms ?? [] },
    };
    return changed(await this.#buses.execute(new CreateKnowledgeBase(caller, { id, scope, settings })));
  }

  @Route(listKnowledgeBases)
  async list({ caller, query }: Call<typeof listKnowledgeBases>) {
    const found = await this.#buses.execute(new ListKnowledgeBases(caller, query));
    return { knowledgeBases: found.result.map(view), ...momentOf(found) };
  }

  @Route(getKnowledgeBase)
  async get({ caller, params, query }: Call<typeof getKnowledgeBase>) {
    const found = await this.#buses.execute(new GetKnowledgeBase(caller, { ...params, ...query }));
    return { ...view(found.result), ...momentOf(found) };
  }

  @Route(configureKnowledgeBase)
  async configure({ caller, params, body: { language, historyDays, fields, synonyms, ...rest } }: Call<typeof configureKnowledgeBase>) {
    const change = {
      ...rest,
      ...(language === undefined ? {} : { language: language ?? 'und' }),
      ...(historyDays === undefined ? {} : { historyDays: historyDays ?? 0 }),
      ...(fields === undefined ? {} : { fields: fields ?? {} }),
      ...(synonyms === undefined ? {} : { synonyms: synonyms ?? [] }),
    };
    return changed(await this.#buses.execute(new ConfigureKnowledgeBase(caller, { id: params.id, change })));
  }

  @Route(pauseKnowledgeBase)
  async pause({ caller, params }: Call<typeof pauseKnowledgeBase>) {
    return changed(await this.#buses.execute(new PauseKnowledgeBase(caller, params.id)));
  }

  @Route(resumeKnowledgeBase)
  async resume({ caller, params }: Call<typeof resumeKnowledgeBase>) {
    return changed(await this.#buses.execute(new ResumeKnowledgeBase(caller, params.id)));
  }

  @Route(archiveKnowledgeBase)
  async archive({ caller, params }: Call<typeof archiveKnowledgeBase>) {
    return changed(await this.#buses.execute(new ArchiveKnowledgeBase(caller, params.id)));
  }

  @Route(deleteKnowledgeBase)
  async remove({ caller, params }: Call<typeof deleteKnowledgeBase>) {
    return changed(await this.#buses.execute(new DeleteKnowledgeBase(caller, params.id)));
  }
}

const view = ({ tenant: _tenant, ...rest }: KnowledgeBaseView) => rest;

const changed = ({ id, scope, settings: current, status, position }: Changed) => ({
  id,
  scope,
  status,
  ...current,
  position: String(position),
});
