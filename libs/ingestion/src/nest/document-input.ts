import type { MultipartFile } from '@fastify/multipart';
import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { parseInput, wire } from '@palimpsest/contracts';
import { InvalidValue, sourceId } from '@palimpsest/knowledge';
import { DEFAULT_KNOWLEDGE_BASE } from '../knowledge-bases/knowledge-bases.ts';
import type { NewDocument } from '../submission/submit-document.ts';

const about = {
  knowledgeBase: wire.knowledgeBaseId.default(DEFAULT_KNOWLEDGE_BASE),
  title: z.string().trim().min(1).max(500).exactOptional(),
  mediaType: z.string().max(200).exactOptional(),
  labels: wire.labels.default({}),
  origin: wire.origin.default('UserContent'),
};

export const textDocument = z.strictObject({
  ...about,
  mediaType: z.string().max(200).default('text/markdown'),
  sourceId: wire.sourceId,
  text: z
    .string()
    .refine((text) => text.trim() !== '', 'expected some text')
    .refine((text) => text.isWellFormed(), 'expected well-formed Unicode, without lone surrogates'),
  force: z.boolean().default(false),
});

/** The same beside an uploaded file, where every field is a string. */
const beside = z.strictObject({
  ...about,
  sourceId: wire.sourceId.exactOptional(),
  labels: z
    .string()
    .transform((raw, context) => {
      try {
        return JSON.parse(raw) as unknown;
      } catch {
        context.addIssue({ code: 'custom', message: 'expected JSON, like {"team":"red"}' });
        return z.NEVER;
      }
    })
    .pipe(wire.labels)
    .default({}),
  force: z.enum(['true', 'false']).default('false').transform((text) => text === 'true'),
});

/** @throws InvalidValue */
export const fromJson = (body: unknown): NewDocument => {
  const { text, ...document } = parseInput(textDocument, body);
  return { ...document, bytes: Buffer.from(text) };
};

/**
 * The documents of a multipart upload, one at a time as they arrive: the fields come first and hold for every file; a file's
 * source is `sourceId` when it is given (then there may be only one file), else its name.
 * @throws InvalidValue
 */
export async function* fromMultipart(request: FastifyRequest): AsyncGenerator<NewDocument> {
  const fields: Record<string, string> = {};
  let files = 0;
  for await (const part of request.parts()) {
    if (part.type === 'field') {
      if (files > 0) throw new InvalidValue(part.fieldname, 'the fields before the files', 'a field behind a file');
      fields[part.fieldname] = String(part.value);
      continue;
    }
    if (++files > 1 && fields['sourceId'] !== undefined) throw new InvalidValue('sourceId', 'one file when a sourceId is given', 'several files');
    yield await fromFile(part, fields);
  }
  if (files === 0) throw new InvalidValue('file', 'at least one file', undefined);
}

const fromFile = async (part: MultipartFile, fields: Readonly<Record<string, string>>): Promise<NewDocument> => {
  const { sourceId: given, ...document } = parseInput(beside, fields);
  const bytes = await part.toBuffer();
  const fileName = part.filename || 'file';
  // What browsers and curl send for a file that they do not know says nothing.
  const declared = part.mimetype === 'application/octet-stream' ? {} : { mediaType: part.mimetype };
  return { ...declared, ...document, sourceId: given ?? sourceId(fileName, 'filename'), fileName: fileName.split('/').at(-1) ?? fileName, bytes };
};
