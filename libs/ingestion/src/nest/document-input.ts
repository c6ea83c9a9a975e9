import type { MultipartFile } from '@fastify/multipart';
import type { FastifyRequest } from 'fastify';
import type { z } from 'zod';
import { parseInput } from '@palimpsest/contracts';
import { submitDocuments } from '@palimpsest/contracts/routes/documents';
import { InvalidValue, KnowledgeError } from '@palimpsest/knowledge/errors';
import { fileName, mediaType } from '@palimpsest/knowledge/texts';
import { sourceId } from '@palimpsest/knowledge/values';
import { TooLarge } from '@palimpsest/http';
import type { NewDocument } from '../submission/submit-document.ts';
import type { Upload } from '../submission/submit-documents.ts';

export const newDocument = <Text extends Readonly<{ text: string }>>({ text, ...document }: Text) => ({
  ...document,
  bytes: Buffer.from(text),
});

/** Maximum number of files in one form. */
const MAX_FILES = 1_000;

/**
 * The files of a multipart upload, one at a time as they arrive. The fields come first and apply to every file. The source of a
 * file is `sourceId` if it is given (then only one file is allowed), otherwise its name.
 * @throws InvalidValue
 */
export async function* uploadedFiles(request: FastifyRequest): AsyncGenerator<Upload> {
  const fields: Record<string, string> = {};
  let files = 0;
  for await (const part of partsOf(request)) {
    if (part.type === 'field') {
      if (files > 0) throw new InvalidValue(part.fieldname, 'all fields before the files', 'a field after a file');
      if (Object.hasOwn(fields, part.fieldname)) throw new InvalidValue(part.fieldname, 'this field only once', 'the field twice');
      fields[part.fieldname] = String(part.value);
      continue;
    }
    if (files === MAX_FILES) throw new InvalidValue('file', `at most ${MAX_FILES} files in one form`, 'more files');
    if (++files > 1 && fields['sourceId'] !== undefined)
      throw new InvalidValue('sourceId', 'only one file if a sourceId is given', 'several files');
    const bytes = await part.toBuffer().catch(malformed);
    yield {
      name: fields['sourceId'] ?? part.filename,
      document: () => fromFile(part, bytes, parseInput(submitDocuments.body.form, fields)),
    };
  }
  if (files === 0) throw new InvalidValue('file', 'at least one file', undefined);
}

/** Does not read a second file to its end. @throws InvalidValue */
export const onlyFile = async (files: AsyncIterable<Upload>): Promise<NewDocument> => {
  let only: Upload | undefined;
  for await (const file of files) {
    if (only) throw new InvalidValue('file', 'exactly one file', 'several files');
    only = file;
  }
  if (!only) throw new InvalidValue('file', 'exactly one file', undefined);
  return only.document();
};

/** Errors of the form parser have no status: the body is incomplete or not a form. @throws InvalidValue, or the given error */
const malformed = (error: unknown): never => {
  if (error instanceof KnowledgeError || (error as { statusCode?: number }).statusCode !== undefined) throw error;
  throw new InvalidValue('body', 'a complete multipart/form-data body', (error as Error).message);
};

async function* partsOf(request: FastifyRequest) {
  try {
    yield* request.parts();
  } catch (error) {
    malformed(error);
  }
}

const fromFile = (
  part: MultipartFile,
  bytes: Uint8Array,
  { sourceId: given, ...document }: z.output<typeof submitDocuments.body.form>,
): NewDocument => {
  if (part.file.truncated) throw new TooLarge('a document', bytes.length);
  const path = part.filename || 'file';
  // Browsers and curl send this type for files that they do not recognise, so it carries no information.
  const declared = part.mimetype === 'application/octet-stream' ? {} : { mediaType: mediaType(part.mimetype, 'content-type of the file') };
  return {
    ...declared,
    ...document,
    sourceId: given ?? sourceId(path, 'filename'),
    fileName: fileName(path.split('/').findLast((name) => name !== '') ?? 'file', 'filename'),
    bytes,
  };
};
