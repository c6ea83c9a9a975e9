import { Body, Controller, Get, HttpCode, Inject, Param, Patch, Post } from '@nestjs/common';
import { ApiBody, ApiOperation, ApiTags } from '@nestjs/swagger';
import { z } from 'zod';
import { parseInput, wire } from '@palimpsest/contracts';
import { DEPLOYMENT, knowledgeBaseId, type KnowledgeBaseView } from '@palimpsest/knowledge';
import { Caller, jsonSchema, type CallerContext } from '@palimpsest/runtime';
import { chunkingSchema, chunkingSettings } from '../chunking/chunking-settings.ts';
import { FindDocuments } from '../documents/find-documents.ts';
import { KnowledgeBases, type Changed } from '../knowledge-bases/knowledge-bases.ts';

const settings = {
  name: wire.knowledgeBaseName.exactOptional(),
  description: wire.knowledgeBaseDescription.exactOptional(),
  language: wire.language.nullable().meta({ description: 'BCP 47 tag of the language that is assumed for texts whose own language is unknown; `null` and `und` declare none' }).exactOptional(),
  // Parsed by the chunkers' own schema, which knows the limits of each setting.
  chunking: z.unknown().meta(jsonSchema(chunkingSchema) as Record<string, unknown>).optional(),
};
const newKnowledgeBase = z.strictObject({ id: wire.knowledgeBaseId, scope: wire.scope.default(DEPLOYMENT), ...settings });
const changes = z.strictObject(settings);

@ApiTags('Knowledge bases')
@Controller('v1/knowledge-bases')
export class KnowledgeBasesController {
  readonly #knowledgeBases: KnowledgeBases;
  readonly #find: FindDocuments;

  constructor(@Inject(KnowledgeBases) knowledgeBases: KnowledgeBases, @Inject(FindDocuments) find: FindDocuments) {
    this.#knowledgeBases = knowledgeBases;
    this.#find = find;
  }

  @Post()
  @ApiOperation({ summary: 'Create a knowledge base in a scope' })
  @ApiBody({ schema: jsonSchema(newKnowledgeBase) })
  async create(@Caller() { access, correlationId }: CallerContext, @Body() body: unknown) {
    const { id, scope, name, description, chunking, language } = parseInput(newKnowledgeBase, body);
    const settings = { name: name ?? id, description: description ?? '', chunking: chunkingSettings(chunking ?? {}), language: language ?? 'und' };
    const input = { id, scope, settings };
    return changed(await this.#knowledgeBases.create(access, input, correlationId));
  }

  @Get()
  @ApiOperation({ summary: 'List the knowledge bases that the caller may read' })
  async list(@Caller() { access }: CallerContext) {
    return { knowledgeBases: (await this.#find.knowledgeBases(access)).map(view) };
  }

  @Get(':id')
  @ApiOperation({ summary: 'Get a knowledge base' })
  async get(@Caller() { access }: CallerContext, @Param('id') id: string) {
    return view(await this.#find.knowledgeBase(access, knowledgeBaseId(id)));
  }

  @Patch(':id')
  @ApiOperation({ summary: 'Change name, description, language or chunking; documents are re-chunked when they are next submitted' })
  @ApiBody({ schema: jsonSchema(changes) })
  async configure(@Caller() { access, correlationId }: CallerContext, @Param('id') id: string, @Body() body: unknown) {
    const { name, description, chunking, language } = parseInput(changes, body);
    const change = {
      ...(name === undefined ? {} : { name }),
      ...(description === undefined ? {} : { description }),
      ...(language === undefined ? {} : { language: language ?? 'und' }),
      ...(chunking === undefined ? {} : { chunking: chunkingSettings(chunking) }),
    };
    return changed(await this.#knowledgeBases.configure(access, knowledgeBaseId(id), change, correlationId));
  }

  @Post(':id/pause')
  @HttpCode(200)
  @ApiOperation({ summary: 'Pause a knowledge base: it accepts no documents and holds back those that wait; indexed documents stay searchable' })
  async pause(@Caller() { access, correlationId }: CallerContext, @Param('id') id: string) {
    return changed(await this.#knowledgeBases.pause(access, knowledgeBaseId(id), correlationId));
  }

  @Post(':id/resume')
  @HttpCode(200)
  @ApiOperation({ summary: 'Resume a paused knowledge base; documents that were held back are processed in their order' })
  async resume(@Caller() { access, correlationId }: CallerContext, @Param('id') id: string) {
    return changed(await this.#knowledgeBases.resume(access, knowledgeBaseId(id), correlationId));
  }

  @Post(':id/archive')
  @HttpCode(200)
  @ApiOperation({ summary: 'Archive a knowledge base: it accepts no more documents; indexed documents stay searchable' })
  async archive(@Caller() { access, correlationId }: CallerContext, @Param('id') id: string) {
    return changed(await this.#knowledgeBases.archive(access, knowledgeBaseId(id), correlationId));
  }
}

const view = ({ tenant: _tenant, ...rest }: KnowledgeBaseView) => rest;

const changed = ({ id, scope, settings: current, status, position }: Changed) => ({ id, scope, status, ...current, position: String(position) });
