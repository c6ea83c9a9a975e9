import { Controller, Inject } from '@nestjs/common';
import { chunkingSettings } from '@palimpsest/contracts';
import {
  archiveKnowledgeBase,
  configureKnowledgeBase,
  createKnowledgeBase,
  getKnowledgeBase,
  listKnowledgeBases,
  pauseKnowledgeBase,
  resumeKnowledgeBase,
} from '@palimpsest/contracts/http';
import type { KnowledgeBaseView } from '@palimpsest/knowledge/read-models';
import { Route, type Call } from '@palimpsest/runtime';
import { FindDocuments } from '../documents/find-documents.ts';
import { KnowledgeBases, type Changed } from '../knowledge-bases/knowledge-bases.ts';

@Controller()
export class KnowledgeBasesController {
  readonly #knowledgeBases: KnowledgeBases;
  readonly #find: FindDocuments;

  constructor(@Inject(KnowledgeBases) knowledgeBases: KnowledgeBases, @Inject(FindDocuments) find: FindDocuments) {
    this.#knowledgeBases = knowledgeBases;
    this.#find = find;
  }

  @Route(createKnowledgeBase)
  async create({ access, correlationId, body }: Call<typeof createKnowledgeBase>) {
    const { id, scope, name = id, description = '', chunking = chunkingSettings(), language } = body;
    const settings = { name, description, chunking, language: language ?? 'und' };
    return changed(await this.#knowledgeBases.create(access, { id, scope, settings }, correlationId));
  }

  @Route(listKnowledgeBases)
  async list({ access }: Call<typeof listKnowledgeBases>) {
    return { knowledgeBases: (await this.#find.knowledgeBases(access)).map(view) };
  }

  @Route(getKnowledgeBase)
  async get({ access, params }: Call<typeof getKnowledgeBase>) {
    return view(await this.#find.knowledgeBase(access, params.id));
  }

  @Route(configureKnowledgeBase)
  async configure({ access, correlationId, params, body: { language, ...rest } }: Call<typeof configureKnowledgeBase>) {
    const change = { ...rest, ...(language === undefined ? {} : { language: language ?? 'und' }) };
    return changed(await this.#knowledgeBases.configure(access, params.id, change, correlationId));
  }

  @Route(pauseKnowledgeBase)
  async pause({ access, correlationId, params }: Call<typeof pauseKnowledgeBase>) {
    return changed(await this.#knowledgeBases.pause(access, params.id, correlationId));
  }

  @Route(resumeKnowledgeBase)
  async resume({ access, correlationId, params }: Call<typeof resumeKnowledgeBase>) {
    return changed(await this.#knowledgeBases.resume(access, params.id, correlationId));
  }

  @Route(archiveKnowledgeBase)
  async archive({ access, correlationId, params }: Call<typeof archiveKnowledgeBase>) {
    return changed(await this.#knowledgeBases.archive(access, params.id, correlationId));
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
